// The cards that open beside a board, one at a time: a review, a line, a record to paste, last games.
import { html, makeButton } from "./dom.js";
import { forgetGames, linkOf, parseRecord, storedGames } from "./record.js";
import { bestLine, makeSteps } from "./steps.js";
import { count, nameOf, parseMoves } from "./words.js";

export class Cards {
  constructor(panel, board) {
    this.panel = panel;
    this.board = board;
    this.place = html("div", { class: "place" });
    this.marks = new Map(); // of reviewed moves, by their number
  }

  /** Opens a card below the board in place of the one that was open. */
  open(/** @type {HTMLElement | null} */ card) {
    this.place.replaceChildren(...(card ? [card] : []));
    card?.scrollIntoView({ block: "nearest" });
  }

  async review() {
    const { board } = this;
    const { game, description } = board;
    const { makeReview, marksOf, reviewGame } = await import("./review.js"); // few look at the first page for it
    const status = html("p", { role: "status" }, "Looking at the moves ...");
    this.open(html("section", { class: "card review" }, html("h2", {}, "Review"), status));
    const [moves, states, end] = [[...game.moves], [...game.states], game.end];
    const judged = await reviewGame(board.adviser, states, moves, game.setUp, (done) => (status.textContent = `Looking at the moves ... ${done} of ${moves.length}`));
    if (game !== board.game) return;
    this.marks = marksOf(judged);
    this.panel.listMoves();
    const showLine = async (turn) => {
      const from = states[turn.ply - 1];
      const line = await bestLine(board.adviser, from, turn.best[0].move);
      this.showSteps(`Instead of move ${turn.ply}`, from, line, () => this.open(card));
    };
    const card = makeReview(judged, { game: description, end, length: moves.length, look: (ply) => game.look(ply), showLine });
    this.open(card);
  }

  /** A line to step through on the board. */
  showSteps(title, from, line, closed = () => this.open(null)) {
    const { board } = this;
    const close = () => (board.stage.showLine(null), closed());
    this.open(makeSteps(title, from, line, board.description.moves, (state, isMoved) => board.stage.showLine(state, isMoved), close));
  }

  openRecord() {
    const { board } = this;
    const field = /** @type {HTMLTextAreaElement} */ (html("textarea", { rows: 5, "aria-label": "a record, or moves" }));
    const problem = html("p", { class: "problem", role: "alert" });
    problem.hidden = true;
    const act = () => {
      try {
        const text = field.value.trim();
        const setting = text.startsWith("[") ? parseRecord(text) : { moves: text, setUp: 0 };
        if (!setting.game) parseMoves(board.description, text);
        void this.panel.replace(() => board.begin({ resigned: 0, ...setting }));
      } catch (error) {
        problem.textContent = `${error.message}.`;
        problem.hidden = false;
      }
    };
    const buttons = html("div", { class: "buttons" }, makeButton("Open", act, { class: "strong" }), makeButton("Cancel", () => this.open(null)));
    this.open(html("section", { class: "card", "aria-label": "open a record" }, html("h2", {}, "Paste a record, or moves"), field, problem, buttons));
    field.focus();
  }

  lastGames() {
    const { board } = this;
    const games = storedGames().map((one) => {
      const how = one.end ? ["", "X won", "O won", "drawn"][one.end] : "not over";
      const day = new Date(one.at).toLocaleDateString("en-GB", { day: "numeric", month: "short" });
      const text = `${one.title}, ${nameOf(one.player, board.opponents)}: ${count(one.count, "move")}, ${how} (${day})`;
      return html("li", {}, html("a", { href: linkOf(one), onclick: (event) => (event.preventDefault(), this.panel.replace(() => board.begin({ setUp: 0, resigned: 0, ...one }))) }, text));
    });
    const list = games.length ? html("ul", {}, ...games) : html("p", {}, "No game was played in this browser yet.");
    const forget = makeButton("Forget them", () => (forgetGames(), this.open(null)));
    this.open(html("section", { class: "card last", "aria-label": "last games" }, html("h2", {}, "Last games"), list, html("div", { class: "buttons" }, ...(games.length ? [forget] : []), makeButton("Close", () => this.open(null)))));
  }
}
