// A board to look at: a position with the value of each move, or a game to step through. The stones
// are the board's own (drawing.js); nothing can be played here, and no compiled code is loaded.
import { Drawing, make } from "./drawing.js";
import { ask, html } from "./lab.js";

const known = new Map(); // descriptions of games, by name

/** The description of a game, asked for once. */
export function describeGame(/** @type {string} */ name) {
  if (!known.has(name)) known.set(name, ask(`board?game=${encodeURIComponent(name)}`));
  return known.get(name);
}

export class Picture {
  constructor(/** @type {any} */ description) {
    this.description = description;
    this.drawing = new Drawing(description);
    this.drawing.root.setAttribute("role", "img");
    for (const row of this.drawing.root.querySelectorAll("[role=row], [role=gridcell]")) {
      row.removeAttribute("role");
      row.removeAttribute("tabindex");
    }
    const [wide, high] = description.size;
    // Not the element itself, whose script is not loaded here: only its styles.
    this.root = html("inarow-board", { class: "picture" }, html("div", { class: "room", style: `--wide:${wide};--high:${high}` }, this.drawing.root));
  }

  /**
   * Shows stones; `lines` are [side, cells], `values` [cell, text, share from -1 to 1], `chosen` the
   * cells of the moves that would be played.
   */
  show({ stones, lines = [], last = undefined, values = [], chosen = [], about = "" }) {
    const state = { stones, lines, open: [], end: 0, ply: 0, score: [0, 0], history: [] };
    this.drawing.show(/** @type {any} */ (state));
    this.drawing.mark(/** @type {any} */ (state), last);
    for (const node of this.valued ?? []) node.remove();
    this.valued = values.map(([cell, text, share]) => this.makeValue(cell, text, share, chosen.includes(cell)));
    for (const cell of this.drawing.cells) cell.removeAttribute("aria-label");
    const said = values.map(([cell, text]) => `${this.drawing.nameOf(cell)} ${text}`).join(", ");
    this.drawing.root.setAttribute("aria-label", `${about} ${said}`.trim() || this.description.title);
  }

  makeValue(/** @type {number} */ cell, /** @type {string} */ text, /** @type {number} */ share, /** @type {boolean} */ isChosen) {
    const side = share < 0 ? "bad" : "good";
    const back = make("path", { d: this.drawing.outline, class: `heat ${side}`, style: `fill-opacity:${(0.1 + 0.6 * Math.abs(share)).toFixed(2)}` });
    const words = make("text", { y: 4, "text-anchor": "middle", "font-size": 11 }, text);
    const star = isChosen ? [make("text", { y: -7, "text-anchor": "middle", "font-size": 11 }, "\u2605")] : [];
    const node = make("g", { class: "worth" }, back, words, ...star);
    this.drawing.cells[cell].append(node);
    return node;
  }
}

/** A game to step through: { cells, moves, lines: [[ply, side, cells]] }. */
export class Replay {
  constructor(/** @type {Picture} */ picture, /** @type {any} */ game) {
    this.picture = picture;
    this.game = game;
    this.length = game.cells.length;
  }

  /** Shows the position after so many moves. */
  show(/** @type {number} */ ply) {
    const { game, picture } = this;
    const stones = picture.description.cells.map(() => 0);
    for (const [i, cell] of game.cells.slice(0, ply).entries()) stones[cell] = (i % 2) + 1;
    const lines = game.lines.filter(([at]) => at <= ply).map(([, side, cells]) => [side, cells]);
    picture.show({ stones, lines, last: ply ? game.cells[ply - 1] : undefined, about: `After ${ply} of ${this.length} moves` });
  }
}
