// Writes the record of a game as a page writes it: node record.mjs RECORD_SCRIPT
import { pathToFileURL } from "node:url";

const { recordText } = await import(pathToFileURL(process.argv[2]).href);
const game = { name: "connect4:6x7", moves: ["1", "2", "3", "4", "5", "6", "7"] };
const setting = { game: game.name, player: "strength:3", side: "second", moves: "4453", setUp: 2 };
process.stdout.write(JSON.stringify(recordText(game, setting, [3, 3, 4, 2])));
