// Asks packages in Node: reads questions as JSON from the standard input, writes the answers.
//   node answers.mjs WORKER  <  [{ folder, positions: [[stones ...]], wantsValues, wantsScores }]
import fs from "node:fs";
import { pathToFileURL } from "node:url";

const { makeEngine } = await import(pathToFileURL(process.argv[2]).href);
const questions = JSON.parse(fs.readFileSync(0, "utf8"));

export function readPackage(folder) {
  const text = fs.readFileSync(`${folder}/package.json`, "utf8");
  const { engine } = JSON.parse(text);
  const modules = Object.fromEntries(Object.keys(engine.modules).map((name) => [name, fs.readFileSync(`${folder}/${name}.wasm`)]));
  return { engine, modules, image: fs.readFileSync(`${folder}/image.bin`) };
}

async function answer({ folder, positions, wantsValues, wantsScores }) {
  const ask = makeEngine();
  const opened = await ask({ id: 0, ask: "open", ...readPackage(folder) });
  if (opened.error) return { error: opened.error };
  const [moves, values, scores] = [[], [], []];
  for (const stones of positions) {
    await ask({ id: 1, ask: "put", stones });
    if (wantsScores) {
      const { values: found, error } = await ask({ id: 4, ask: "solve", seconds: 1000 });
      if (error) return { error };
      scores.push(found);
      continue;
    }
    const found = await ask({ id: 2, ask: "reply" });
    if (found.error) return { error: found.error };
    moves.push(found.move);
    if (wantsValues) values.push((await ask({ id: 3, ask: "values" })).values);
  }
  return { moves, values, scores };
}

const answers = [];
for (const question of questions) answers.push(await answer(question));
process.stdout.write(JSON.stringify(answers));
