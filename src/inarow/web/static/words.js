// What is said of games, players and moves, for people: sentences and names. It draws nothing.
/** @import { Description, MoveValue } from "./types.js" */

export const SYMBOLS = ["", "X", "O"];
const FILE = ".safetensors"; // what names of saved agents end with
// What people call kinds of players: as `opponents.PLAYER_KINDS` in Python.
const PLAYER_KINDS = {
  perfect: "Perfect play", best: "The best there is", shipped: "Learned agent", ntuple: "Learned agent", mcts: "Tree search", random: "Random moves",
};

/** A number of things: 1 move, 2 moves. */
export function count(/** @type {number} */ number, /** @type {string} */ thing) {
  return `${number.toLocaleString("en")} ${thing}${number === 1 ? "" : "s"}`;
}

/** A player's name for people; `opponents` are those that the index names. */
export function nameOf(/** @type {string} */ player, opponents = []) {
  if (!player || player === "human") return "Another person";
  const known = opponents.find((one) => one.player === player);
  if (known) return known.title;
  if (player.endsWith(FILE)) return `Your agent ${player.slice(0, -FILE.length)}`;
  const [, kind, number] = /** @type {string[]} */ (/^([^:]*)(?::(\d+)(?![\d.]*s))?/.exec(player));
  const many = Number(number ?? 0);
  if ((kind === "strength" || kind === "level") && many) return `Level ${many}`;
  if (kind === "minimax" && many) return `Minimax, ${count(many, "move")} ahead`;
  if (kind === "ntuple" && many) return `Learned agent, ${count(many, "move")} ahead`;
  if (kind === "mcts" && many) return `Tree search, ${count(many, "game")} a move`;
  if (kind in PLAYER_KINDS) return PLAYER_KINDS[kind];
  if (/^[a-z]+([_-][a-z]+)*$/.test(player)) return player[0].toUpperCase() + player.slice(1).replaceAll(/[_-]/g, " ");
  return player;
}

/** The value of a move in words: "wins in 5", "draws", "good: +0.31". */
export function valueText(/** @type {MoveValue | undefined} */ found) {
  if (!found) return "not known";
  if (found.exact) {
    const word = found.value > 0 ? "wins" : found.value < 0 ? "loses" : "draws";
    return found.stones ? `${word} in ${found.stones}` : word;
  }
  const size = Math.abs(found.value);
  return size < 0.06 ? "looks even" : `looks ${size < 0.25 ? "slightly " : ""}${found.value > 0 ? "better" : "worse"}`;
}

/** The same in as few letters as a cell has room for. */
export function shortValue(/** @type {MoveValue} */ found) {
  if (!found.exact) return `${found.value >= 0 ? "+" : "−"}${Math.round(100 * Math.abs(found.value))}`;
  return found.value === 0 ? "=" : `${found.value > 0 ? "W" : "L"}${found.stones ?? ""}`;
}

/** The rank of a value: the higher the better; a win soon, a loss late. */
export function rankOf(/** @type {MoveValue} */ { value, exact, stones }) {
  if (!exact || !value) return value;
  return value * (2 - Math.min(stones ?? 0, 1000) / 1001);
}

/** The best of the values of a position: all that nobody can tell apart. */
export function bestOf(/** @type {MoveValue[]} */ values) {
  const highest = Math.max(...values.map(rankOf));
  return values.filter((one) => rankOf(one) > highest - 1e-9);
}

/** What was found of a position, in a sentence. */
export function adviceText(/** @type {Description} */ game, /** @type {MoveValue[]} */ values, /** @type {string} */ by) {
  if (!values.length) return "";
  const best = bestOf(values);
  const isExact = values.every((one) => one.exact);
  const sure = isExact ? " Exact, by the solver." : best[0].exact ? " That is certain." : ` An estimate by ${by}, not a proof.`;
  if (best.length === values.length && values.length > 1) {
    return best[0].exact ? `Every move ${valueText(best[0])}.${sure}` : `No move stands out.${sure}`;
  }
  const names = best.slice(0, 5).map(({ move }) => game.moves[move]);
  const listed = `${names.join(names.length > 2 ? " / " : " or ")}${best.length > 5 ? " and others" : ""}`;
  const isLost = best[0].exact && best[0].value < 0;
  return `${isLost ? "Holds out longest" : "Good"}: ${listed}, ${valueText(best[0])}.${sure}`;
}

/** How a game has ended, as a title and a line below it. */
export function endingOf(game, /** @type {boolean[]} */ people, /** @type {number} */ end, details) {
  const { player, resigned, moves, score } = details;
  const [one, other] = score;
  const k = `${["", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine"][game.k] ?? game.k} in a row`;
  const length = `after ${count(moves, "move")}`;
  if (end === 3) {
    const why = game.scoring ? `${count(one, "line")} each` : "The board is full";
    return { title: "A draw", about: `${why}, ${length}.`, tone: "draw" };
  }
  const arePeople = people.every(Boolean);
  const isWon = people[end - 1];
  const title = arePeople ? `${SYMBOLS[end]} has won` : isWon ? "You have won!" : `${player} has won`;
  let why = game.misere ? `${k} loses` : k;
  if (game.scoring) why = `${count(Math.max(one, other), "line")} to ${Math.min(one, other)}`;
  if (resigned) why = arePeople ? `${SYMBOLS[resigned]} has resigned` : "You have resigned";
  return { title, about: `${why}, ${length}.`, tone: arePeople || isWon ? "won" : "lost" };
}

/** The moves of a game as text, as links have them. */
export function movesText(/** @type {Description} */ game, /** @type {number[]} */ moves) {
  const isDense = game.compact && game.moves[0].length === 1;
  return moves.map((move) => game.moves[move]).join(isDense ? "" : " ");
}

/** The moves that a text names, as the package reads them; an Error with one line for what is none. */
export function parseMoves(/** @type {Description} */ game, /** @type {string} */ text) {
  const numbers = new Map(game.moves.map((move, number) => [move, number]));
  if (text.length > 20_000) throw new Error(`${text.length.toLocaleString("en")} characters are too many for a game`);
  return text.split(/\s+/).filter(Boolean).flatMap((token) => {
    if (numbers.has(token)) return [/** @type {number} */ (numbers.get(token))];
    const width = game.moves[0].length;
    const parts = game.compact ? (token.includes(",") ? [token.replaceAll(",", "")] : token.match(new RegExp(`.{1,${width}}`, "g")) ?? []) : [];
    const found = parts.map((part) => numbers.get(part));
    const what = game.gravity ? "column" : "cell";
    if (!found.length || found.includes(undefined)) {
      throw new Error(`“${token.slice(0, 30)}” is not a ${what} of this board: write one from ${game.moves[0]} to ${game.moves.at(-1)}`);
    }
    return /** @type {number[]} */ (found);
  });
}
