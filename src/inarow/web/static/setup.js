// A position set up by hand: stones put and taken off, then an order of moves that leads to them.
/** @import { Description } from "./types.js" */
import { html, makeButton, makeSegments } from "./dom.js";
import { count, SYMBOLS } from "./words.js";

const MOST_STATES = 200_000; // of the search for an order, where stones fall
const TOOLS = [["1", "X"], ["2", "O"], ["0", "Remove"]];

/** Changes what lies on a cell: the same stone again is taken off; where stones fall, they fall. */
export function putStone(/** @type {Description} */ game, /** @type {number[]} */ stones, /** @type {number} */ cell, /** @type {number} */ stone) {
  const { columns } = game;
  if (stones[cell]) stones[cell] = stone === 0 || stone === stones[cell] ? 0 : stone;
  else if (stone) {
    let at = cell;
    if (game.gravity) for (at = cell % columns; at < stones.length && stones[at]; ) at += columns;
    if (at < stones.length) stones[at] = stone;
  }
  if (!game.gravity) return;
  const held = [];
  for (let at = cell % columns; at < stones.length; at += columns) if (stones[at]) held.push(stones[at]);
  for (let at = cell % columns; at < stones.length; at += columns) stones[at] = held.shift() ?? 0;
}

/** An order of moves that leads to these stones; an Error with one line where there is none. */
export function orderOf(/** @type {Description} */ game, /** @type {number[]} */ stones) {
  const [first, second] = [1, 2].map((side) => stones.filter((stone) => stone === side).length);
  if (first - second !== 0 && first - second !== 1) {
    throw new Error(`X has ${count(first, "stone")} and O has ${second}: X moves first, so X must have as many as O, or one more`);
  }
  if (!game.gravity) {
    const cells = [1, 2].map((side) => stones.flatMap((stone, cell) => (stone === side ? [cell] : [])));
    return Array.from({ length: first + second }, (_, ply) => cells[ply % 2][ply >> 1]);
  }
  return fallingOrder(game.columns, stones, first + second);
}

/** The same where stones fall: each on what lies below it, so columns are filled from below. */
function fallingOrder(/** @type {number} */ columns, /** @type {number[]} */ stones, /** @type {number} */ total) {
  const heights = Array.from({ length: columns }, () => 0);
  const failed = new Set();
  const moves = /** @type {number[]} */ ([]);
  const search = () => {
    if (moves.length === total) return true;
    const key = heights.join();
    if (failed.has(key)) return false;
    if (failed.size > MOST_STATES) throw new Error("no order of moves was found that leads to these stones");
    for (let column = 0; column < columns; column++) {
      if (stones[heights[column] * columns + column] !== (moves.length % 2) + 1) continue;
      heights[column]++;
      moves.push(column);
      if (search()) return true;
      moves.pop();
      heights[column]--;
    }
    failed.add(key);
    return false;
  };
  if (search()) return moves;
  throw new Error("no game leads to these stones: X and O play in turn, and each stone lies on the one before");
}

/** The tools of setting up; `redraw` shows the stones, `done` is told of moves, or of nothing. */
export class SetUp {
  constructor(/** @type {Description} */ game, /** @type {number[]} */ stones, redraw, done) {
    this.game = game;
    this.stones = [...stones];
    this.redraw = redraw;
    this.done = done;
    this.tool = 1;
    this.problem = html("p", { class: "problem", role: "alert" });
    this.problem.hidden = true;
    const about = game.gravity ? "Press a column to drop a stone into it; press a stone to change it." : "Press a cell to put a stone there; press a stone to change it.";
    this.card = html(
      "section", { class: "card setup", "aria-label": "set up a position" }, html("h2", {}, "Set up a position"), html("p", {}, about),
      makeSegments("what a press puts", "tool", TOOLS, "1", (value) => (this.tool = Number(value))),
      this.problem,
      html("div", { class: "buttons" }, makeButton("Play from here", () => this.finish(), { class: "strong" }), makeButton("Clear", () => this.clear()), makeButton("Cancel", () => done(null))),
    );
  }

  press(/** @type {number} */ cell) {
    putStone(this.game, this.stones, cell, this.tool);
    this.changed();
  }

  clear() {
    this.stones = this.stones.map(() => 0);
    this.changed();
  }

  changed() {
    this.problem.hidden = true;
    this.redraw(this.stones);
  }

  /** Who is to move in what lies there. */
  get toMove() {
    return SYMBOLS[(this.stones.filter(Boolean).length % 2) + 1];
  }

  finish() {
    try {
      this.done(orderOf(this.game, this.stones));
    } catch (error) {
      this.problem.textContent = `${/** @type {Error} */ (error).message}.`;
      this.problem.hidden = false;
    }
  }
}
