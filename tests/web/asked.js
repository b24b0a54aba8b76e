// What packages answer, in Node and in browsers alike: moves, scores, what is learned, what is proved.
// `read(folder, name)` gives the bytes of a file, `digest(bytes)` their SHA-256 as hexadecimal digits.

export function makeAsker({ makeEngine, certify, prove, read, digest }) {
  async function open(folder) {
    const description = JSON.parse(new TextDecoder().decode(await read(folder, "package.json")));
    const { engine } = description;
    const modules = {};
    for (const name of Object.keys(engine.modules)) modules[name] = await read(folder, `${name}.wasm`);
    const run = makeEngine();
    const ask = async (message) => {
      const answer = await run({ id: 0, ...message });
      if (answer.error) throw new Error(answer.error);
      return answer;
    };
    await ask({ ask: "open", engine, modules, image: await read(folder, "image.bin") });
    return { ask, description };
  }

  /** The positions of a question: given as lists, or as bytes in a file, so many for each. */
  async function positionsOf({ folder, positions, cells }) {
    if (!cells) return positions;
    const bytes = new Uint8Array(await read(folder, positions));
    return Array.from({ length: bytes.length / cells }, (_, i) => [...bytes.subarray(i * cells, (i + 1) * cells)]);
  }

  const KINDS = {
    /** Moves, and the values of all moves or the solver's scores where they are wanted. */
    async moves(question) {
      const { ask } = await open(question.folder);
      const [moves, values, scores] = [[], [], []];
      for (const stones of await positionsOf(question)) {
        await ask({ ask: "put", stones });
        if (question.wantsScores) {
          scores.push((await ask({ ask: "solve", seconds: 1000 })).values);
          continue;
        }
        moves.push((await ask({ ask: "reply" })).move);
        if (question.wantsValues) values.push((await ask({ ask: "values" })).values);
      }
      return { moves, values, scores };
    },

    /** What a table learns from a seed: its memory, its counts, its certificate. */
    async learn({ folder, seed, games }) {
      const { ask, description } = await open(folder);
      const { streams, words } = description.learning;
      const graph = (await ask({ ask: "compute", read: ["seeds", "state", "edge_start", "child", "move", "first", "second", "value"] })).views;
      const place = (i) => 4 * (seed * streams.length + i);
      const write = Object.fromEntries(streams.map((name, i) => [name, graph.seeds.slice(place(i), place(i + 1))]));
      await ask({ ask: "compute", write });
      for (const number of games) await ask({ ask: "compute", entry: "learn", given: { games: number } });
      const { values, counts } = (await ask({ ask: "compute", read: ["values", "counts"] })).views;
      const found = await certify({ ask }, graph, words, description.game);
      return { digest: await digest(new Uint8Array(values.buffer, values.byteOffset, values.byteLength)), counts: [...counts].map(Number), ...found };
    },

    /** The sentences of a stored proof. */
    async prove({ folder }) {
      const { ask, description } = await open(folder);
      return prove({ ask }, description.proof, () => {});
    },
  };

  /** The answer to a question, or the line that says why there is none. */
  return async (question) => {
    try {
      return await KINDS[question.kind ?? "moves"](question);
    } catch (error) {
      return { error: error instanceof Error ? error.message : String(error) };
    }
  };
}
