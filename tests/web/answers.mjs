// Asks packages in Node: reads questions as JSON from the standard input, writes the answers.
//   node answers.mjs STATIC  <  [{ kind, folder, ... }]      kinds: asked.js
import crypto from "node:crypto";
import fs from "node:fs";
import { pathToFileURL } from "node:url";

const at = (name) => pathToFileURL(`${process.argv[2]}/${name}`).href;
const { makeEngine } = await import(at("worker.js"));
const { certify } = await import(at("certify.js"));
const { prove } = await import(at("prove.js"));
const { makeAsker } = await import(at("asked.js"));
const ask = makeAsker({
  makeEngine, certify, prove,
  read: async (folder, name) => fs.readFileSync(`${folder}/${name}`),
  digest: async (bytes) => crypto.createHash("sha256").update(bytes).digest("hex"),
});

const answers = [];
for (const question of JSON.parse(fs.readFileSync(0, "utf8"))) answers.push(await ask(question));
process.stdout.write(JSON.stringify(answers));
