// Plays games in Node with what a page in one file holds: its own worker's text, its own package.
//   node files.mjs FILE GAMES      the moves of each game; the player begins every other one
import fs from "node:fs";
import zlib from "node:zlib";

const text = fs.readFileSync(process.argv[2], "utf8");
const part = (id) => text.split(`id="${id}">`)[1].split("</script>")[0];
const found = JSON.parse(part("inarow-package"));
const worker = part("inarow-worker").replace(/^export /gm, "");
const engine = new Function(`${worker}\nreturn makeEngine();`)();
const ask = async (message) => {
  const answer = await engine({ id: 0, ...message });
  if (answer.error) throw new Error(answer.error);
  return answer;
};
const bytes = (coded) => Buffer.from(coded, "base64");
const modules = Object.fromEntries(Object.entries(found.modules).map(([name, packed]) => [name, zlib.inflateRawSync(bytes(packed))]));
const { columns } = found.package.engine;
let { state } = await ask({ ask: "open", engine: found.package.engine, modules, image: bytes(found.image) });

let seed = 1; // of the opponent, who plays at random
const below = (limit) => (seed = (seed * 48271) % 2147483647) % limit;
const games = [];
for (let game = 0; game < Number(process.argv[3]); game++) {
  const moves = [];
  if (game) await ask({ ask: "ready" });
  while (!state.end) {
    const isOwn = moves.length % 2 === game % 2;
    const move = isOwn ? (await ask({ ask: "reply" })).move : state.open[below(state.open.length)] % columns;
    moves.push(move);
    ({ state } = await ask({ ask: "play", move }));
  }
  games.push(moves);
  while (state.ply) ({ state } = await ask({ ask: "back" }));
}
process.stdout.write(JSON.stringify(games));
