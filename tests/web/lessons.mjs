// Learns and proves in Node what a page learns and proves: node lessons.mjs STATIC
//   < { folder, seed, games: [..], prove }     digests of the table, its counts, the certificate
import crypto from "node:crypto";
import fs from "node:fs";
import { pathToFileURL } from "node:url";

const at = (name) => pathToFileURL(`${process.argv[2]}/${name}`).href;
const { makeEngine } = await import(at("worker.js"));
const { certify } = await import(at("certify.js"));
const { prove } = await import(at("prove.js"));

async function open(folder) {
  const description = JSON.parse(fs.readFileSync(`${folder}/package.json`, "utf8"));
  const names = Object.keys(description.engine.modules);
  const modules = Object.fromEntries(names.map((name) => [name, fs.readFileSync(`${folder}/${name}.wasm`)]));
  const engine = makeEngine();
  const ask = async (message) => {
    const answer = await engine({ id: 0, ...message });
    if (answer.error) throw new Error(answer.error);
    return answer;
  };
  await ask({ ask: "open", engine: description.engine, modules, image: fs.readFileSync(`${folder}/image.bin`) });
  return { ask, description };
}

async function learn({ folder, seed, games }) {
  const { ask, description } = await open(folder);
  const { streams, words } = description.learning;
  const graph = (await ask({ ask: "compute", read: ["seeds", "state", "edge_start", "child", "move", "first", "second", "value"] })).views;
  const write = Object.fromEntries(
    streams.map((name, i) => [name, graph.seeds.slice(4 * (seed * streams.length + i), 4 * (seed * streams.length + i + 1))]),
  );
  await ask({ ask: "compute", write });
  for (const number of games) await ask({ ask: "compute", entry: "learn", given: { games: number } });
  const { values, counts } = (await ask({ ask: "compute", read: ["values", "counts"] })).views;
  const digest = crypto.createHash("sha256").update(new Uint8Array(values.buffer)).digest("hex");
  return { digest, counts: [...counts].map(Number), ...(await certify({ ask }, graph, words, description.game)) };
}

async function check({ folder }) {
  const { ask, description } = await open(folder);
  return prove({ ask }, description.proof, () => {});
}

const question = JSON.parse(fs.readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(await (question.prove ? check(question) : learn(question))));
