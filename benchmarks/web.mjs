// Measures packages in Node, in CPU time: node web.mjs WORKER < [{ kind, folder, ... }]
import fs from "node:fs";
import { pathToFileURL } from "node:url";

const { makeEngine } = await import(pathToFileURL(process.argv[2]).href);

const LEAST_SECONDS = 0.5; // that short moves are repeated for
const MOST_ROUNDS = 50;

function used(before) {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

async function timed(act) {
  const before = process.cpuUsage();
  const found = await act();
  return [used(before), found];
}

async function opened(folder) {
  const { engine } = JSON.parse(fs.readFileSync(`${folder}/package.json`, "utf8"));
  const names = Object.keys(engine.modules);
  const modules = Object.fromEntries(names.map((name) => [name, fs.readFileSync(`${folder}/${name}.wasm`)]));
  const run = makeEngine();
  const ask = async (message) => {
    const answer = await run({ id: 0, ...message });
    if (answer.error) throw new Error(answer.error);
    return answer;
  };
  await ask({ ask: "open", engine, modules, image: fs.readFileSync(`${folder}/image.bin`) });
  return ask;
}

const MEASURES = {
  /**
   * Until the first move, and for a move once the engine has optimised the code: what the same
   * questions cost that ask for no move is measured apart.
   */
  async moves({ folder, positions }) {
    const first = performance.now();
    const ask = await opened(folder);
    await ask({ ask: "put", stones: positions[0] });
    const moves = [(await ask({ ask: "reply" })).move];
    const firstMove = (performance.now() - first) / 1000;
    const all = async (/** @type {(stones: number[]) => Promise<void>} */ act) => {
      for (const stones of positions.slice(1)) await act(stones);
    };
    const put = (stones) => ask({ ask: "put", stones });
    const [warming] = await timed(() => all(async (stones) => (await put(stones), moves.push((await ask({ ask: "reply" })).move))));
    const rounds = Math.max(1, Math.min(MOST_ROUNDS, Math.ceil(LEAST_SECONDS / warming)));
    const often = async (act) => {
      for (let round = 0; round < rounds; round++) await all(act);
    };
    const [messages] = await timed(() => often(async (stones) => (await put(stones), await ask({ ask: "state" }))));
    const [seconds] = await timed(() => often(async (stones) => (await put(stones), await ask({ ask: "reply" }))));
    return { firstMove, seconds: seconds / rounds, messages: messages / rounds, moves };
  },
  /** Exact scores of positions, for the side to move: the quickest of some rounds, each from nothing. */
  async scores({ folder, positions, rounds }) {
    let best = { seconds: Infinity };
    for (let round = 0; round < rounds; round++) {
      const ask = await opened(folder);
      const scores = [];
      let nodes = 0;
      const [seconds] = await timed(async () => {
        for (const stones of positions) {
          await ask({ ask: "put", stones });
          await ask({ ask: "compute", entry: "ask" });
          for (let stop = 1e6; !(await ask({ ask: "compute", entry: "solve", given: { stop } })).result; stop += 1e6);
          const { found, search } = (await ask({ ask: "compute", read: ["found", "search"] })).views;
          scores.push(Number(found[0]));
          nodes += Number(search[NODES]);
        }
      });
      if (seconds < best.seconds) best = { seconds, scores, nodes };
    }
    return best;
  },
  async games({ folder, games }) {
    const ask = await opened(folder);
    await ask({ ask: "compute", entry: "learn", given: { games: 2000 } });
    const [seconds] = await timed(() => ask({ ask: "compute", entry: "learn", given: { games } }));
    return { seconds };
  },
  async proof({ folder, positions }) {
    const ask = await opened(folder);
    const [seconds] = await timed(async () => {
      await ask({ ask: "compute", entry: "symmetries" });
      await ask({ ask: "compute", entry: "images", given: { start: 0, end: positions } });
      await ask({ ask: "compute", entry: "sort" });
      const { result } = await ask({ ask: "compute", entry: "check", given: { start: 0, end: positions } });
      if (!result) throw new Error("the proof fails");
    });
    return { seconds };
  },
};
const tasks = JSON.parse(fs.readFileSync(0, "utf8"));
const NODES = tasks.nodes;
const found = [];
for (const task of tasks.list) found.push(await MEASURES[task.kind](task));
process.stdout.write(JSON.stringify(found));
