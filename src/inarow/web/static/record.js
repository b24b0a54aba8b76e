// Games as text and as links, and the last games of this browser. The text is that of the package:
// headers and moves in the manner of PGN (docs/reference/records.md).
/** @import { Description } from "./types.js" */
import { movesText } from "./words.js";

const WIDTH = 80;
const LONGEST = 200_000; // characters of a text with records
const HEADER = /^\[([A-Za-z][A-Za-z0-9_]*)\s+"((?:[^"\\]|\\["\\])*)"\]$/;
const RESULTS = ["*", "1-0", "0-1", "1/2-1/2"];
const STORED = "inarow-games";
const MOST_STORED = 12;

/**
 * @typedef {object} Setting what a board is set for
 * @property {string} game
 * @property {string} player "" for two people
 * @property {string} side
 * @property {string} moves as text
 * @property {number} [setUp]
 * @property {number} [resigned]
 */

/** A game as text. */
export function recordText(/** @type {Description} */ game, /** @type {Setting} */ setting, /** @type {number[]} */ moves, end = 0, date = new Date()) {
  const isFirst = setting.side !== "second";
  const other = setting.player || "human";
  const headers = [["Game", game.name], ["First", isFirst ? "human" : other], ["Second", isFirst ? other : "human"]];
  headers.push(["Date", date.toISOString().slice(0, 10).replaceAll("-", ".")], ["Result", RESULTS[end]]);
  if (setting.resigned) headers.push(["Termination", "resigned"]);
  if (setting.setUp) headers.push(["SetUp", String(setting.setUp)]);
  const quoted = (/** @type {string} */ text) => text.replaceAll("\n", " ").replace(/[\\"]/g, "\\$&");
  const tokens = moves.flatMap((move, ply) => (ply % 2 ? [game.moves[move]] : [`${ply / 2 + 1}.`, game.moves[move]]));
  const lines = [""];
  for (const token of [...tokens, RESULTS[end]]) {
    const longer = `${lines.at(-1)} ${token}`.trim();
    if (longer.length > WIDTH) lines.push(token);
    else lines[lines.length - 1] = longer;
  }
  return [...headers.map(([name, value]) => `[${name} "${quoted(value)}"]`), "", ...lines, ""].join("\n");
}

/** The one game that a text holds, as a setting; against whom it was is kept. */
export function parseRecord(/** @type {string} */ text) {
  if (text.length > LONGEST) throw new Error(`${text.length.toLocaleString("en")} characters are too many for a record`);
  /** @type {Record<string, string>} */ const headers = {};
  const movetext = [];
  for (const [number, line] of text.split("\n").map((part) => part.trim()).entries()) {
    if (line.startsWith("[")) {
      if (movetext.length) throw new Error("the text holds more than one game: paste one");
      const found = HEADER.exec(line);
      if (!found || found[1] in headers) throw new Error(`line ${number + 1} is not a header, as [First "human"]`);
      headers[found[1]] = found[2].replace(/\\(.)/g, "$1");
    } else if (line) movetext.push(...line.split(/\s+/));
  }
  const { Game: game, Result: result, First: first = "?", Second: second = "?" } = headers;
  if (!game || !RESULTS.includes(result)) throw new Error("a record needs the headers Game and Result");
  if (movetext.length && movetext.at(-1) !== result) throw new Error(`the moves must end with the result, ${result}`);
  const moves = movetext.slice(0, -1).filter((token) => !/^\d+\.$/.test(token));
  const isPerson = (/** @type {string} */ name) => ["human", "you", "?"].includes(name);
  const isSecond = !isPerson(first) && isPerson(second);
  const player = isPerson(first) ? (isPerson(second) ? "" : second) : isSecond ? first : "";
  const setUp = /^\d{1,4}$/.test(headers.SetUp ?? "") ? Number(headers.SetUp) : 0;
  const resigned = headers.Termination === "resigned" ? { "1-0": 2, "0-1": 1 }[result] ?? 0 : 0;
  return { game, player, side: isSecond ? "second" : "first", moves: moves.join(" "), setUp, resigned };
}

/** The part of an address behind its question mark that asks for a setting. */
export function linkOf(/** @type {Setting} */ setting) {
  const asked = new URLSearchParams({ game: setting.game, against: setting.player || "human" });
  if (setting.side === "second") asked.set("side", "second");
  if (setting.moves) asked.set("moves", setting.moves);
  if (setting.setUp) asked.set("set_up", String(setting.setUp));
  if (setting.resigned) asked.set("resigned", String(setting.resigned));
  return `?${asked}`;
}

/** What an address asks for; what is not there is left out, and what is wrong the board refuses. */
export function settingOf(/** @type {string} */ search) {
  const asked = new URLSearchParams(search);
  /** @type {Partial<Setting>} */ const found = {};
  if (asked.get("game")) found.game = asked.get("game") ?? "";
  const against = asked.get("against") ?? asked.get("player");
  if (against !== null) found.player = against === "human" ? "" : against;
  if (asked.has("side")) found.side = asked.get("side") ?? "";
  if (asked.has("moves")) found.moves = asked.get("moves") ?? "";
  for (const [name, key] of [["set_up", "setUp"], ["resigned", "resigned"]]) {
    if (asked.has(name)) found[key] = Number(asked.get(name) || NaN);
  }
  return found;
}

/** Keeps a game among the last ones of this browser; one that went on takes its own place. */
export function storeGame(/** @type {string} */ id, /** @type {Description} */ game, /** @type {Setting} */ setting, /** @type {number[]} */ moves, /** @type {number} */ end) {
  const entry = { id, title: game.title, ...setting, moves: movesText(game, moves), count: moves.length, end, at: Date.now() };
  const kept = [entry, ...storedGames().filter((one) => one.id !== id)].slice(0, MOST_STORED);
  try {
    localStorage.setItem(STORED, JSON.stringify(kept));
  } catch {
    // A browser that stores nothing for pages still plays.
  }
}

/** The last games, the latest first. */
export function storedGames() {
  try {
    const found = JSON.parse(localStorage.getItem(STORED) ?? "[]");
    return Array.isArray(found) ? found.filter((one) => typeof one?.game === "string" && typeof one.moves === "string") : [];
  } catch {
    return [];
  }
}

export function forgetGames() {
  try {
    localStorage.removeItem(STORED);
  } catch {
    // Nothing is stored, then.
  }
}
