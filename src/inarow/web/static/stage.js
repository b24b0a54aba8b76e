// What stands directly at a board: the line that says how the game stands, the score, and the room
// of each picture, with tabs where there are two and little room.
import { html, makeSegments } from "./dom.js";
import { makeIcon } from "./drawing.js";
import { DRAW } from "./game.js";
import { SetUp } from "./setup.js";
import { bestOf, count, endingOf, movesText, shortValue, SYMBOLS } from "./words.js";

const MOST_MARKS = 5; // good moves that are marked on a board
const PATIENCE = 2500; // milliseconds of thinking before its length is said
const COMPILING = 6000; // and before a server is said to be at more than thinking

export class Stage {
  constructor(board) {
    this.board = board;
    this.status = html("p", { class: "status", role: "status" });
    this.score = html("p", { class: "score" });
    this.score.hidden = !board.description.scoring;
    this.head = html("div", { class: "head" }, this.status, this.score);
    this.said = "";
  }

  /** The rooms of the pictures. */
  rooms() {
    const names = [["picture", "Picture"], ["layers", "Layers"]];
    const rooms = this.board.drawings.map(({ root, size }, i) => {
      const [wide, high] = size;
      return html("div", { class: `room ${names[i][0]}`, style: `--wide:${wide};--high:${high}` }, root);
    });
    if (rooms.length < 2) return rooms;
    const pictures = html("div", { class: "pictures", "data-tab": "picture" }, ...rooms);
    const tabs = makeSegments("what to see", "tab", names, "picture", (value) => (pictures.dataset.tab = value));
    tabs.classList.add("tabs");
    return [tabs, pictures];
  }

  /** Says something above the board, beside a stone of the side that it is about. */
  say(/** @type {string} */ text, /** @type {number} */ side = 0) {
    if (this.said === `${side} ${text}`) return;
    this.said = `${side} ${text}`;
    this.status.replaceChildren(...(side ? [makeIcon(side)] : []), html("span", {}, text));
  }

  /** What a finger has to do on small cells, or which of several lines is shown. */
  hint(/** @type {boolean} */ isFinger, /** @type {number} */ lines, /** @type {number} */ number) {
    if (isFinger) return this.say("Tap again to play there.");
    const { game } = this.board;
    if (lines > 1 && game.waits) this.say(`Line ${number + 1} of ${lines} through this cell: L or “Next line” shows the next.`, game.toMove);
  }

  /** Says how the game stands. */
  tell() {
    const { game, description } = this.board;
    clearInterval(this.clock);
    const [one, other] = game.shown.score;
    this.score.replaceChildren("Lines: ", ...[1, 2].flatMap((side) => [makeIcon(side), `${SYMBOLS[side]} ${side === 1 ? one : other}`]));
    if (game.looked !== null) {
      const at = game.looked === 0 ? "The beginning" : `Move ${game.looked} of ${game.moves.length}`;
      return this.say(`${at}. ${SYMBOLS[(game.shown.ply % 2) + 1]} to move.`, (game.shown.ply % 2) + 1);
    }
    if (game.problem) return this.say(`The game cannot go on: ${game.problem}.`);
    if (game.thinking) return this.tellThinking();
    const sentences = [this.lastMove(), this.standing(description)].filter(Boolean);
    this.say(sentences.join(" "), game.end === DRAW ? 0 : game.end || game.toMove);
  }

  /** What was played last, by somebody else than who looks. */
  lastMove() {
    const { game, description, playerName } = this.board;
    const ply = game.moves.length - 1;
    if (ply < game.setUp || game.end || (game.people[ply % 2] && !game.people.every(Boolean))) return "";
    const who = game.people[ply % 2] ? SYMBOLS[(ply % 2) + 1] : playerName;
    return `${who} played ${description.moves[game.moves[ply]]}.`;
  }

  standing(description) {
    const { game, playerName } = this.board;
    const symbol = SYMBOLS[game.toMove];
    if (!game.end) return game.people.every(Boolean) ? `${symbol} to move.` : game.moves.length > game.setUp + 1 ? "Your move." : `Your move: you are ${symbol}.`;
    const details = { player: playerName, resigned: game.resigned, moves: game.moves.length - game.setUp, score: game.state.score };
    const { title, about } = endingOf(description, game.people, game.end, details);
    const isKnot = this.board.drawings[0].completed;
    const pointing = isKnot ? " Point at a cell to see its lines." : "";
    const isSaidBelow = this.board.getAttribute("controls") !== "none"; // by the card of the end
    return `${title}${/!$/.test(title) ? "" : "."}${isSaidBelow ? "" : ` ${about}`}${pointing}`;
  }

  /** Says who thinks, and after a while for how long: nobody should wonder whether it hangs. */
  tellThinking() {
    const { game, playerName } = this.board;
    const since = performance.now();
    const side = game.toMove;
    const text = () => {
      const waited = performance.now() - since;
      if (waited < PATIENCE) return `${playerName} is thinking ...`;
      const isCompiling = game.engine.address !== undefined && waited > COMPILING;
      const why = isCompiling ? " The server may have to compile this player first, which takes up to a minute." : "";
      return `${playerName} is thinking: ${count(Math.round(waited / 1000), "second")}.${why}`;
    };
    this.say(text(), side);
    this.clock = setInterval(() => (game.thinking && this.board.game === game ? this.say(text(), side) : clearInterval(this.clock)), 1000);
  }

  /** Marks good moves, or with details the value of every move. */
  showMarks(values, /** @type {boolean} */ isDetailed) {
    const marks = new Map();
    const best = values.length ? bestOf(values) : [];
    const isEqual = best.length === values.length && values.length > 1;
    for (const one of isDetailed ? values : isEqual ? [] : best.slice(0, MOST_MARKS)) {
      const cell = this.board.game.shown.open.find((open) => open % this.board.description.columns === one.move);
      const kind = best.includes(one) ? "best" : one.exact && one.value < 0 ? "bad" : "other";
      if (cell !== undefined) marks.set(cell, [`${kind} ${one.exact ? "exact" : "guess"}`, isDetailed ? shortValue(one) : ""]);
    }
    for (const drawing of this.board.drawings) drawing.showValues(marks);
  }

  /** Shows a position of a line instead of the game; null goes back to the game. */
  showLine(state, isMoved = true) {
    this.board.line = state;
    if (!state) return this.board.show();
    for (const drawing of this.board.drawings) {
      drawing.show(state);
      drawing.mark(state, isMoved ? state.history.at(-1) : undefined);
    }
    this.say("A line, not the game.", 0);
  }

  setUpPosition() {
    const { board } = this;
    const { game, description, panel } = board;
    const draw = (/** @type {number[]} */ stones) => {
      for (const drawing of this.board.drawings) drawing.show({ ...game.state, stones, open: [], lines: [], end: 0 });
      this.say(`${board.setUp?.toMove ?? "X"} would be to move.`, 0);
    };
    const done = (/** @type {number[] | null} */ moves) => {
      board.setUp = null;
      panel.cards.open(null);
      if (moves) void board.begin({ moves: movesText(description, moves), setUp: moves.length, resigned: 0 });
      else board.show();
    };
    board.setUp = new SetUp(description, game.shown.stones, draw, done);
    void panel.showValues(); // what was said of the position before goes
    panel.end.hidden = true;
    panel.cards.open(board.setUp.card);
    draw(game.shown.stones);
  }
}
