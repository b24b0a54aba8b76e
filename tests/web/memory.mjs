// Fills a module's memory from an image and writes parts of it: node memory.mjs WORKER
//   < { image, pages, parts: [[address, bytes]] }     the digests of the parts
import crypto from "node:crypto";
import fs from "node:fs";
import { pathToFileURL } from "node:url";

const { fill, unpack } = await import(pathToFileURL(process.argv[2]).href);
const { image, pages, parts } = JSON.parse(fs.readFileSync(0, "utf8"));
const memory = new WebAssembly.Memory({ initial: pages });
fill(memory, await unpack(fs.readFileSync(image)));
const digest = ([at, size]) => crypto.createHash("sha256").update(new Uint8Array(memory.buffer, at, size)).digest("hex");
process.stdout.write(JSON.stringify(parts.map(digest)));
