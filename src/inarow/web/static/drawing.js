// A board as SVG. All places come from the description that Python writes: nothing is laid out here.
/** @import { Description, State } from "./types.js" */

const SVG = "http://www.w3.org/2000/svg";
const CROSS = "M-6.5-6.5L6.5 6.5M6.5-6.5L-6.5 6.5";
const MOST_STROKES = 30; // of more completed lines, those of the cell that is pointed at are shown
const MOST_TINTS = 3; // completed lines whose cells are tinted: of more, only strokes can be told apart
const MARGIN = 6;
const PEG = 70; // how far a stone is seen falling on a peg
const PILE = 13; // how high a stone lies on the one below it, and how a flat one is thick: lozenges.py
const THIN = 4;
const SMALL_BOARD = 9; // cells of a flat board that nobody needs numbers for
const NARROW = "(max-width: 600px)"; // where a large board has no room for them
const LARGE = 9; // columns

export const SIDES = ["empty", "X", "O"];

/** An element of SVG. */
export function make(/** @type {string} */ tag, /** @type {Record<string, any>} */ attributes = {}, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

/** A stone: a bare mark on flat boards, a disc where stones fall, one with an edge where it lies. */
export function makeStone(/** @type {Description["style"]} */ style, /** @type {number} */ side, /** @type {Description | undefined} */ game = undefined) {
  const name = side === 1 ? "first" : "second";
  const mark = side === 1 ? make("path", { class: "ink", d: CROSS }) : make("circle", { class: "ink", r: 6.5 });
  if (style === "flat") return make("g", { class: `stone mark ${name}` }, make("g", { transform: "scale(1.55)" }, mark));
  if (style === "falls") return make("g", { class: `stone disc ${name}` }, make("circle", { class: "face", r: 15.5 }), mark);
  const [wide, high, edge] = discOf(game);
  return make(
    "g", { class: `stone disc ${name}` },
    make("path", { class: "edge", d: `M${-wide} ${-edge / 2}v${edge}a${wide} ${high} 0 0 0 ${2 * wide} 0v${-edge}z` }),
    make("ellipse", { class: "face", rx: wide, ry: high, cy: -edge / 2 }),
    make("g", { transform: `translate(0 ${-edge / 2}) scale(${wide / 16} ${high / 16})` }, mark),
  );
}

/** Half the width and half the height of a disc that lies on a lozenge, and how thick it is. */
function discOf(/** @type {Description} */ { across, gravity }) {
  return [0.5 * across[0], 0.5 * across[1], gravity ? PILE - 2 : THIN];
}

/** A small stone for words beside the board. */
export function makeIcon(/** @type {number} */ side) {
  return make("svg", { class: "icon", viewBox: "-18 -18 36 36", "aria-hidden": "true" }, makeStone("falls", side));
}

/** A board in a page: made once for a game, then shown in one position after another. */
export class Drawing {
  constructor(/** @type {Description} */ game, isFlatLayers = false) {
    this.game = game;
    this.isFlatLayers = isFlatLayers;
    this.isPiled = game.style === "pegs" && game.gravity;
    const [left, top, wide, high] = this.box();
    this.size = [wide, high];
    this.root = make("svg", {
      viewBox: `${left} ${top} ${wide} ${high}`, role: "grid",
      "aria-label": `${game.title}: ${isFlatLayers ? "its layers" : "the board"}`, class: `grid ${game.style}${this.isPiled ? " piled" : ""}`,
    });
    const back = make("g", { class: "back", "aria-hidden": "true" });
    back.innerHTML = game.backdrop + (left > -MARGIN ? "" : game.labels); // none of a picture that is cut to the cells
    this.under = make("g", { class: "under", "aria-hidden": "true" });
    this.over = make("g", { class: "over", "aria-hidden": "true" });
    const [[ax, ay], [dx, dy]] = [game.across, game.down];
    this.outline = `M${-(ax + dx) / 2} ${-(ay + dy) / 2}l${ax} ${ay}l${dx} ${dy}l${-ax} ${-ay}z`;
    this.cells = game.cells.map((place, cell) => this.makeCell(place, cell));
    this.root.append(back, this.under, ...this.makeRows(), this.over);
    this.shown = game.cells.map(() => 0);
  }

  /** What of the picture is shown: without numbers where nobody needs them, or there is no room. */
  box() {
    const { cells, size, style, shape, across, down } = this.game;
    const isLarge = shape[1] > LARGE && globalThis.matchMedia?.(NARROW).matches;
    if (style !== "flat" || shape.length !== 2 || (cells.length > SMALL_BOARD && !isLarge)) {
      return [-MARGIN, -MARGIN, size[0] + 2 * MARGIN, size[1] + 2 * MARGIN];
    }
    const [[left, top], [right, bottom]] = [cells[0], cells[cells.length - 1]];
    const edge = isLarge ? 1 : MARGIN;
    const [wide, high] = [across[0] + 2 * edge, down[1] + 2 * edge];
    return [left - wide / 2, top - high / 2, right - left + wide, bottom - top + high];
  }

  makeCell(/** @type {[number, number]} */ [x, y], /** @type {number} */ cell) {
    const half = this.game.across[0] / 2;
    const isAbove = this.isPiled && cell >= this.game.columns; // on a peg: so much is seen of its place
    return make(
      "g", { class: "cell", role: "gridcell", tabindex: -1, transform: `translate(${x} ${y})`, "data-cell": cell },
      make("path", { class: "hit", d: isAbove ? `M${-half} ${-PILE / 2}h${2 * half}v${PILE}h${-2 * half}z` : this.outline }), make("g", { class: "ghost" }), make("g", { class: "content" }),
    );
  }

  /**
   * The rows of cells for screen readers; where stones fall down the board, the highest first, and
   * where they are piled those behind, so that what is in front hides them.
   */
  makeRows() {
    const { game, cells } = this;
    const length = game.gravity && game.shape.length === 1 ? 1 : game.shape[game.shape.length - 1];
    const rows = [];
    for (let start = 0; start < cells.length; start += length) {
      rows.push(make("g", { role: "row" }, ...cells.slice(start, start + length)));
    }
    if (this.isPiled) {
      const [levels, deep] = game.shape;
      return Array.from({ length: levels * deep }, (_, i) => rows[(i % levels) * deep + Math.floor(i / levels)]);
    }
    return game.style === "falls" ? rows.reverse() : rows;
  }

  /** Shows the stones of a position; one that was just played falls. `mark` draws the rest. */
  show(/** @type {State} */ state, end = state.end) {
    const open = new Set(end ? [] : state.open);
    const changed = state.stones.filter((side, cell) => side !== this.shown[cell]).length;
    for (const [cell, node] of this.cells.entries()) {
      const side = state.stones[cell];
      if (side !== this.shown[cell]) this.putStone(cell, side, changed === 1);
      node.classList.toggle("open", open.has(cell));
      node.setAttribute("aria-label", `${this.nameOf(cell)}: ${SIDES[side]}`);
    }
    this.shown = [...state.stones];
    this.under.replaceChildren();
    this.over.replaceChildren();
    this.root.classList.toggle("ended", Boolean(end));
  }

  /** Resolves when the stone that falls has come to rest. */
  async settled() {
    const stones = this.root.getAnimations?.({ subtree: true }) ?? [];
    await Promise.allSettled(stones.map((animation) => animation.finished));
  }

  /** Marks the last stone and the completed lines of the position that is shown. */
  mark(/** @type {State} */ state, /** @type {number | undefined} */ last) {
    const { lines } = state;
    const isCrowded = lines.length > MOST_TINTS;
    this.under.replaceChildren(...(isCrowded ? [] : lines.map(([side, cells]) => this.tint(side, cells))));
    this.completed = lines.length > MOST_STROKES ? lines : null;
    const strokes = this.completed ? [] : lines.map(([side, cells]) => this.stroke(side, cells));
    this.over.replaceChildren(...strokes, ...(last === undefined ? [] : [this.aroundLast(last)]));
    this.over.classList.toggle("crowded", isCrowded);
  }

  /** Marks on cells: good moves, values in few letters; a map from cells to [kind, text]. */
  showValues(/** @type {Map<number, [string, string]>} */ values) {
    for (const cell of this.valued ?? []) this.cells[cell].querySelector(".value")?.remove();
    this.valued = [...values.keys()];
    for (const [cell, [kind, text]] of values) {
      const size = text.length > 2 ? 11 : 13;
      const parts = text
        ? [make("rect", { x: -14, y: -9, width: 28, height: 18, rx: 9 }), make("text", { y: 0.36 * size, "font-size": size, "text-anchor": "middle" }, text)]
        : [make("circle", { r: 8 })];
      this.cells[cell].append(make("g", { class: `value ${kind}`, "aria-hidden": "true" }, ...parts));
      if (kind === "best" || text) this.cells[cell].setAttribute("aria-label", `${this.nameOf(cell)}: ${kind === "best" ? "good move " : ""}${text}`);
    }
  }

  putStone(/** @type {number} */ cell, /** @type {number} */ side, isPlayed = false) {
    const content = this.cells[cell].querySelector(".content");
    const stone = side ? makeStone(this.game.style, side, this.game) : null;
    if (stone && isPlayed) {
      const { style, gravity, cells } = this.game;
      const drop = style === "falls" ? cells[cell][1] + MARGIN : style === "pegs" && gravity ? PEG : 0;
      stone.style.setProperty("--drop", `${-drop}px`);
      stone.style.setProperty("--time", `${0.16 + 0.022 * Math.sqrt(drop)}s`);
      stone.classList.add(drop ? "falling" : "appearing");
    }
    content.replaceChildren(...(stone ? [stone] : []));
  }

  /** What a cell is called: as its move is written, and where stones fall the level. */
  nameOf(/** @type {number} */ cell) {
    const { game } = this;
    const move = game.moves[cell % game.columns];
    return game.gravity ? `column ${move}, level ${Math.floor(cell / game.columns) + 1}` : `cell ${move}`;
  }

  /** The stone that the side to move would put on a cell; none for undefined. */
  showGhost(/** @type {number | undefined} */ cell, /** @type {number} */ side = 1) {
    if (this.ghosted !== undefined) this.cells[this.ghosted].querySelector(".ghost").replaceChildren();
    this.ghosted = cell;
    if (cell !== undefined) this.cells[cell].querySelector(".ghost").replaceChildren(makeStone(this.game.style, side, this.game));
  }

  /** Lights lines through a cell up: their cells, and a single one as a stroke, too. */
  light(/** @type {number[][]} */ lines, /** @type {number | undefined} */ at) {
    for (const cell of this.lit ?? []) this.cells[cell].classList.remove("lit", "aimed");
    this.lit = at === undefined ? [] : [...new Set([at, ...lines.flat()])].filter((cell) => lines.length || cell === at);
    for (const cell of this.lit) this.cells[cell].classList.add("lit");
    if (at !== undefined) this.cells[at].classList.add("aimed");
    this.aim?.remove();
    this.aim = lines.length === 1 && !this.completed ? this.stroke(0, lines[0]) : undefined;
    if (this.aim) this.over.append(this.aim);
    if (!this.completed) return;
    for (const node of this.over.querySelectorAll(".stroke")) node.remove();
    const through = this.completed.filter(([, cells]) => cells.includes(at));
    this.over.append(...through.map(([side, cells]) => this.stroke(side, cells)));
  }

  tint(/** @type {number} */ side, /** @type {number[]} */ cells) {
    const path = cells.map((cell) => `M${this.game.cells[cell].join(" ")}m${this.outline.slice(1)}`).join("");
    return make("path", { class: `tint ${side === 1 ? "first" : "second"}`, d: path });
  }

  /** Strokes through a line; where it goes over an edge that wraps, there is a gap. */
  stroke(/** @type {number} */ side, /** @type {number[]} */ line) {
    const name = ["aim", "first", "second"][side];
    const { game } = this;
    const parts = [];
    for (const [i, cell] of line.entries()) {
      for (const other of line.slice(i + 1)) {
        if (areNeighbours(game.shape, cell, other) && this.areNear(cell, other)) parts.push(`M${game.cells[cell].join(" ")}L${game.cells[other].join(" ")}`);
      }
    }
    return make("path", { class: `stroke ${name}`, d: parts.join("") });
  }

  /** Whether a stroke between two cells says anything: from one flat layer to another it does not. */
  areNear(/** @type {number} */ one, /** @type {number} */ other) {
    const { cells, across, down } = this.game;
    const [far, step] = [[0, 1].map((axis) => cells[one][axis] - cells[other][axis]), [0, 1].map((axis) => across[axis] + down[axis])];
    return !this.isFlatLayers || Math.hypot(...far) < 1.1 * Math.hypot(...step);
  }

  /** A ring around the last stone where it is a disc, brackets where it is a mark. */
  aroundLast(/** @type {number} */ cell) {
    const { across, down, cells, style } = this.game;
    const [cx, cy] = cells[cell];
    if (style === "falls") return make("circle", { class: "last", cx, cy, r: 17 });
    if (style === "pegs") {
      const [wide, high, edge] = discOf(this.game);
      return make("ellipse", { class: "last", cx, cy: cy - edge / 2, rx: wide - 3, ry: high - 2 });
    }
    const corner = (/** @type {number} */ a, /** @type {number} */ b) =>
      [0, 1].map((axis) => cells[cell][axis] + 0.44 * (a * across[axis] + b * down[axis])).join(" ");
    const path = [-1, 1].map((a) => `M${corner(0.68 * a, -1)}L${corner(a, -1)}L${corner(a, 1)}L${corner(0.68 * a, 1)}`);
    return make("path", { class: "last", d: path.join("") });
  }
}

/** Whether two cells touch: each coordinate differs by one at most. */
function areNeighbours(/** @type {number[]} */ shape, /** @type {number} */ one, /** @type {number} */ other) {
  for (const side of [...shape].reverse()) {
    if (Math.abs((one % side) - (other % side)) > 1) return false;
    [one, other] = [Math.floor(one / side), Math.floor(other / side)];
  }
  return true;
}
