// Mouse, touch and keys on a board: they point at cells and play them.
//
// Arrow keys go from cell to cell, Enter and the space bar play; the digits of a move go to its
// cell, wherever the focus is; L goes from one line through a cell to the next. Where cells are
// small, the first tap of a finger shows where a stone would come to lie and the second one plays
// it. A board may be drawn more than once: what is pointed at in one picture is marked in all.
/** @import { Drawing } from "./drawing.js" */
import { isTyping } from "./dom.js";

const ARROWS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };
const SMALL = 32; // pixels: where cells are smaller, a finger taps twice
const TYPING = 1500; // milliseconds between two digits of a move
const LIT_DIMENSIONS = 3; // boards of as many and more light up the lines through a cell
const SINGLE_DIMENSIONS = 4; // of as many and more, one line after the other

export class Input {
  /**
   * `board` says what may be played: `landing(cell)` is the cell of the stone that a move there
   * would be, or undefined; `side()` whose it would be; `press(cell)` plays; `hint(lines, number)`
   * is told what is pointed at: by a finger, or one of several lines.
   */
  constructor(/** @type {Drawing[]} */ drawings, board, /** @type {number[][]} */ lines) {
    this.drawings = drawings;
    this.board = board;
    this.lines = lines;
    this.focused = this.firstFocus();
    this.typed = { text: "", at: 0 };
    this.line = 0; // which of the lines through a cell is shown, where it is one at a time
    // A picture that listens for the focus would get it itself, so its parent listens.
    for (const { root } of drawings) {
      const parent = /** @type {HTMLElement} */ (root.parentElement);
      parent.addEventListener("pointerover", (event) => event.pointerType === "mouse" && this.point(cellOf(event)));
      parent.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && this.point(undefined));
      parent.addEventListener("pointerdown", (event) => (this.pointer = event.pointerType));
      parent.addEventListener("click", (event) => this.click(cellOf(event), event));
      parent.addEventListener("focusin", (event) => this.hasKeys() && this.point(cellOf(event)));
      parent.addEventListener("focusout", () => this.point(undefined));
      parent.addEventListener("keydown", (event) => this.key(event));
    }
    this.setTabStop(this.focused);
  }

  /** Whether lines through a cell are shown one after the other. */
  get hasSingleLines() {
    return this.drawings[0].game.shape.length >= SINGLE_DIMENSIONS;
  }

  /** Where the Tab key comes to first: the middle of the lowest row where stones fall, else of all. */
  firstFocus() {
    const { game } = this.drawings[0];
    return game.gravity ? Math.floor(game.columns / 2) : Math.floor(game.cells.length / 2);
  }

  click(/** @type {number | undefined} */ cell, /** @type {Event} */ event) {
    if (cell === undefined) return;
    const landing = this.board.landing(cell);
    const isFinger = this.pointer === "touch";
    const grid = /** @type {Element} */ (event.target).closest(".grid");
    const foot = grid.matches(".piled") ? cell % this.drawings[0].game.columns : cell; // the peg's, whatever lies on it
    const box = grid.querySelector(`[data-cell="${foot}"] .hit`).getBoundingClientRect();
    if (isFinger && Math.min(box.width, box.height) < SMALL && landing !== undefined && this.pointed !== landing) {
      this.point(landing);
      this.board.hint(true, this.through.length, this.line);
    } else {
      this.setTabStop(cell);
      this.board.press(cell);
      if (isFinger) this.point(undefined);
    }
  }

  /** Shows what a move at a cell would be, and which lines go through it. */
  point(/** @type {number | undefined} */ cell, line = 0) {
    const landing = cell === undefined ? undefined : this.board.landing(cell);
    const at = landing ?? cell;
    const { shape } = this.drawings[0].game;
    const isLit = shape.length >= LIT_DIMENSIONS && at !== undefined;
    this.pointed = landing;
    this.line = line;
    this.through = isLit ? this.openLines(/** @type {number} */ (at)) : [];
    const isSingle = this.hasSingleLines && this.through.length > 0;
    if (isSingle) this.line %= this.through.length;
    for (const drawing of this.drawings) {
      drawing.showGhost(landing, this.board.side());
      drawing.light(isSingle ? [this.through[this.line]] : this.through, isLit ? at : undefined);
    }
    if (at !== undefined) this.recent = { at, line: this.line };
    if (isSingle) this.board.hint(false, this.through.length, this.line);
  }

  /** The next line through the cell that is pointed at, or was before a button was pressed. */
  nextLine() {
    const { at, line } = this.recent ?? { at: this.focused, line: -1 };
    this.point(at, line + 1);
  }

  /** The lines through a cell that do not hold stones of both sides; those with most stones first. */
  openLines(/** @type {number} */ cell) {
    const { shown } = this.drawings[0];
    const stones = (/** @type {number[]} */ line) => line.filter((other) => shown[other]).length;
    const through = this.lines.filter((line) => line.includes(cell));
    const open = through.filter((line) => new Set(line.map((other) => shown[other]).filter(Boolean)).size < 2);
    return open.sort((one, other) => stones(other) - stones(one));
  }

  /** After the position has changed. */
  refresh() {
    this.recent = undefined;
    this.point(this.hasKeys() ? this.focused : undefined);
  }

  /** Whether the focus is on the board, and was brought there by keys. */
  hasKeys() {
    return this.drawings.some(({ root }) => root.querySelector(":focus-visible") !== null);
  }

  key(/** @type {KeyboardEvent} */ event) {
    const cell = cellOf(event);
    if (cell === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const drawing = this.drawings.find(({ root }) => root.contains(/** @type {Node} */ (event.target))) ?? this.drawings[0];
    if (event.key in ARROWS) this.focus(nearest(drawing.game.cells, cell, ARROWS[event.key]), drawing);
    else if (event.key === "Enter" || event.key === " ") this.board.press(cell);
    else if (event.key.toLowerCase() === "l") this.nextLine();
    else return;
    event.preventDefault();
  }

  /** A key pressed anywhere beside the board: digits and L go to the board. Returns whether it was one. */
  typeFrom(/** @type {KeyboardEvent} */ event) {
    const isOther = event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event);
    if (isOther) return false;
    if (event.key.toLowerCase() === "l" && this.hasSingleLines) return this.nextLine(), true;
    if (!/^[0-9,]$/.test(event.key)) return false;
    this.type(event.key);
    event.preventDefault();
    return true;
  }

  /** A digit: together with those just before it, the beginning of a move. */
  type(/** @type {string} */ key) {
    const { game } = this.drawings[0];
    const now = performance.now();
    const before = now - this.typed.at < TYPING ? this.typed.text : "";
    const starts = (/** @type {string} */ text) => game.moves.some((move) => move.startsWith(text));
    const text = starts(before + key) ? before + key : key;
    this.typed = { text, at: now };
    const move = game.moves.indexOf(text);
    if (move >= 0) this.focus(this.board.landing(move) ?? move);
  }

  focus(/** @type {number} */ cell, drawing = this.drawings[0]) {
    this.setTabStop(cell);
    drawing.cells[cell].focus(/** @type {any} */ ({ focusVisible: true }));
  }

  setTabStop(/** @type {number} */ cell) {
    for (const { cells } of this.drawings) {
      cells[this.focused].setAttribute("tabindex", "-1");
      cells[cell].setAttribute("tabindex", "0");
    }
    this.focused = cell;
  }
}

/** The number of the cell that an event is about. */
function cellOf(/** @type {Event} */ event) {
  const cell = /** @type {Element} */ (event.target).closest?.("[data-cell]");
  return cell ? Number(cell.getAttribute("data-cell")) : undefined;
}

/** From a cell to the nearest one in the direction of an arrow, also from slice to slice. */
export function nearest(/** @type {[number, number][]} */ cells, /** @type {number} */ from, /** @type {number[]} */ [across, down]) {
  const [x, y] = cells[from];
  let [best, least] = [from, Infinity];
  for (const [cell, [left, top]] of cells.entries()) {
    const ahead = (left - x) * across + (top - y) * down;
    const aside = Math.abs((left - x) * down) + Math.abs((top - y) * across);
    if (ahead > 2 && ahead + 4 * aside < least) [best, least] = [cell, ahead + 4 * aside];
  }
  return best;
}
