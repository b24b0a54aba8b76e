// What stands around a board: whom one plays, buttons, the list of moves, good moves, the end of a
// game. It knows the board element and changes nothing but through it.
import { askFirst, copyText, html, makeButton, makeSegments } from "./dom.js";
import { Cards } from "./cards.js";
import { linkOf } from "./record.js";
import { adviceText, endingOf, nameOf, rankOf, valueText } from "./words.js";

const WHO_BEGINS = [["first", "You begin"], ["second", "They begin"], ["both", "Two people"]];

export class Panel {
  constructor(board) {
    this.board = board;
    this.advice = html("p", { class: "advice", role: "status" });
    this.end = html("section", { class: "end card", "aria-label": "the end of the game", "aria-live": "polite" });
    this.end.hidden = true;
    this.cards = new Cards(this, board);
    this.moves = html("ol", { class: "moves", "aria-label": "moves" });
    this.values = html("div", { class: "values", role: "region", "aria-label": "values of the moves", tabindex: 0 });
    this.isShowing = false; // good moves
    this.isDetailed = false;
    this.buttons = this.makeButtons();
    this.bar = html("div", { class: "buttons bar" }, ...Object.values(this.buttons), this.makeMenu());
    this.navigation = this.makeNavigation();
    this.choices = html("div", { class: "choices" });
    this.side = html("div", { class: "side" }, this.navigation, this.values, this.cards.place);
    this.fillChoices();
  }

  makeButtons() {
    const { board } = this;
    const buttons = {
      undo: makeButton("Undo", () => board.game.undo()),
      again: makeButton("New game", () => this.replace(() => board.game.restart())),
      hint: makeButton("Show good moves", () => this.toggleHints(), { "aria-pressed": "false" }),
    };
    if (board.description.shape.length > 3) buttons.line = makeButton("Next line", () => board.input.nextLine());
    return buttons;
  }

  /** What is used less often. */
  makeMenu() {
    const { board } = this;
    const close = () => menu.removeAttribute("open");
    const item = (text, act, name = null) => makeButton(text, async (event) => ((await act(event)) !== false ? close() : undefined), { "data-item": name ?? text });
    this.items = {
      resign: item("Resign", () => board.game.resign()),
      swap: item("Swap sides", () => this.replace(() => this.swap())),
      review: item("Review this game", () => this.cards.review()),
      setup: item("Set up a position", () => board.stage.setUpPosition()),
      link: item("Copy link", async ({ target }) => (await copyText(new URL(linkOf(board.setting), board.home).href, target), false)),
      record: item("Copy record", async ({ target }) => (await copyText(board.record, target), false)),
      open: item("Open a record or moves", () => this.cards.openRecord()),
      last: item("Last games", () => this.cards.lastGames()),
      sound: item(`Sound: ${board.sound.isOn ? "on" : "off"}`, ({ target }) => ((target.textContent = `Sound: ${board.sound.toggle() ? "on" : "off"}`), false), "Sound"),
    };
    const items = html("div", { class: "items" }, ...Object.values(this.items));
    const menu = html("details", { class: "menu" }, html("summary", { class: "button" }, "More"), items);
    // It opens to where there is more room.
    menu.addEventListener("click", () => items.classList.toggle("below", menu.getBoundingClientRect().top < innerHeight / 2));
    menu.addEventListener("keydown", (event) => event.key === "Escape" && (close(), menu.querySelector("summary").focus()));
    document.addEventListener("click", (event) => !menu.contains(/** @type {Node} */ (event.target)) && close(), { signal: board.leaving.signal });
    return menu;
  }

  makeNavigation() {
    const { board } = this;
    const go = (/** @type {() => number} */ to) => () => board.game.look(to());
    const button = (text, label, to) => makeButton(text, go(to), { "aria-label": label });
    this.goOn = makeButton("Go on from here", () => board.game.goOn(), { class: "strong" });
    const arrows = html(
      "div", { class: "arrows" },
      button("«", "first position", () => 0), button("‹", "one move back", () => board.game.ply - 1),
      button("›", "one move on", () => board.game.ply + 1), button("»", "last position", () => board.game.moves.length), this.goOn,
    );
    return html("section", { class: "card history", "aria-label": "the moves of this game" }, arrows, this.moves);
  }

  /** Game, opponent and who begins; without an index of games only what is known here. */
  fillChoices() {
    const { board } = this;
    const { opponents, games } = board;
    const { game, player, side } = board.setting;
    const parts = [];
    if (games.length > 1) {
      const select = /** @type {HTMLSelectElement} */ (html("select", { "aria-label": "game" }));
      const listed = games.some((one) => one.name === game) ? games : [{ name: game, title: board.description.title }, ...games];
      select.append(...listed.map((one) => new Option(one.title, one.name, false, one.name === game)));
      select.addEventListener("change", () => this.replace(() => board.begin({ game: select.value, player: undefined, moves: "", setUp: 0 }), () => (select.value = game)));
      parts.push(select);
    }
    const isAlone = side !== "both" && Boolean(player);
    if (opponents.length && isAlone) {
      const known = opponents.some((one) => one.player === player) ? opponents : [...opponents, { player, title: nameOf(player), about: "" }];
      const options = known.map((one) => [one.player, one.title, one.about]);
      parts.push(makeSegments("opponent", "opponent", options, player, (value) => this.replace(() => board.begin({ player: value, moves: "", setUp: 0 }), () => this.fillChoices())));
    }
    if (board.lastPlayer || opponents.length) {
      parts.push(makeSegments("who begins", "side", WHO_BEGINS, isAlone ? side : "both", (value) => this.replace(() => this.choose(value), () => this.fillChoices())));
    }
    if (isAlone) {
      const about = opponents.find((one) => one.player === player)?.about;
      const words = [`${board.playerName}: `, html("code", {}, player), about ? `. It ${about}.` : "."];
      parts.push(html("details", { class: "about" }, html("summary", { "aria-label": `who ${board.playerName} is` }, "i"), html("p", {}, ...words)));
    }
    this.choices.replaceChildren(...parts);
  }

  choose(/** @type {string} */ side) {
    const { board } = this;
    if (side === "both") return board.begin({ player: "", side: "first", moves: "", setUp: 0 });
    const player = board.setting.player || board.lastPlayer || board.opponents[0]?.player;
    return board.begin({ player, side, moves: "", setUp: 0 });
  }

  swap() {
    const { board } = this;
    return board.game.people.every(Boolean) ? board.game.restart() : board.begin({ side: board.setting.side === "second" ? "first" : "second", moves: "", setUp: 0 });
  }

  /** Does something that takes the place of the game; asks before if that is in progress. */
  async replace(/** @type {() => unknown} */ act, instead = () => {}) {
    const { board } = this;
    if (board.game.isInProgress && !(await askFirst(board, "Leave the game in progress?", "Leave it", "Go on playing"))) return instead();
    this.cards.open(null);
    return act();
  }

  /** After every change of the game. */
  refresh() {
    const { board, buttons, items } = this;
    const { game } = board;
    const hasMoves = game.moves.length > game.setUp;
    buttons.undo.disabled = !game.canUndo;
    buttons.again.disabled = !hasMoves;
    items.resign.disabled = Boolean(game.end) || !hasMoves;
    items.review.disabled = !hasMoves;
    this.goOn.hidden = game.looked === null;
    this.navigation.hidden = !game.moves.length;
    this.listMoves();
    if (!game.end) this.end.hidden = true;
    void this.showValues();
  }

  listMoves() {
    const { game, description } = this.board;
    const rows = [];
    const entry = (/** @type {number} */ ply) => {
      const text = `${description.moves[game.moves[ply]]}${this.cards.marks.get(ply + 1) ?? ""}`;
      const label = `move ${ply + 1}: ${text}`;
      return makeButton(text, () => game.look(ply + 1), { "aria-label": label, "aria-current": game.ply === ply + 1 ? "step" : null, class: ply < game.setUp ? "put" : "" });
    };
    for (let ply = 0; ply < game.moves.length; ply++) rows.push(html("li", {}, entry(ply)));
    this.moves.replaceChildren(...rows);
    const chosen = this.moves.querySelector("[aria-current]");
    if (chosen) this.moves.scrollTop = /** @type {HTMLElement} */ (chosen).offsetTop - this.moves.clientHeight / 2;
  }

  toggleHints() {
    this.isShowing = !this.isShowing;
    this.buttons.hint.setAttribute("aria-pressed", String(this.isShowing));
    void this.showValues();
  }

  /** Marks good moves on the board, and on demand the value of every move. */
  async showValues() {
    const { board } = this;
    const { game, description } = board;
    const state = game.shown;
    this.values.hidden = !this.isShowing;
    const isOver = Boolean(game.looked === null ? game.end : state.end);
    if (!this.isShowing || isOver || game.thinking || board.setUp) {
      this.asking = undefined; // an answer that is still on its way is about another position
      this.advice.textContent = "";
      this.values.replaceChildren();
      this.values.hidden = true;
      return board.stage.showMarks([], false);
    }
    const asked = (this.asking = Symbol("question"));
    for (const seconds of [0, 2]) {
      if (!seconds || board.adviser.canSolve) {
        if (seconds) await new Promise((resolve) => setTimeout(resolve, 300));
        if (this.asking !== asked || game.shown !== state) return;
        const found = await board.adviser.values(state, seconds).catch(() => []);
        if (this.asking !== asked || game.shown !== state || !this.isShowing) return;
        board.stage.showMarks(found, this.isDetailed);
        this.advice.textContent = found.length ? adviceText(description, found, board.adviser.by) : "Nobody here values these moves.";
        this.fillValues(found);
      }
    }
  }

  fillValues(found) {
    const { description } = this.board;
    const sorted = [...found].sort((one, other) => rankOf(other) - rankOf(one)).slice(0, 40);
    const toggle = makeButton(this.isDetailed ? "Hide details" : "Details", () => ((this.isDetailed = !this.isDetailed), this.showValues()), { "aria-pressed": String(this.isDetailed) });
    const rows = sorted.map((one) => html("li", {}, html("b", {}, description.moves[one.move]), ` ${valueText(one)}`));
    this.values.replaceChildren(toggle, ...(this.isDetailed ? [html("ul", {}, ...rows)] : []));
  }

  /** The card at the end of a game. */
  showEnd() {
    const { board } = this;
    const { game, description } = board;
    const { player, side } = board.setting;
    const details = { player: board.playerName, resigned: game.resigned, moves: game.moves.length - game.setUp, score: game.state.score };
    const { title, about, tone } = endingOf(description, game.people, game.end, details);
    const place = board.opponents.findIndex((one) => one.player === player);
    const next = side !== "both" && place >= 0 ? board.opponents[place + (tone === "lost" ? -1 : 1)] : undefined;
    const buttons = [makeButton("Rematch", () => game.restart(), { class: "strong" })];
    if (!game.people.every(Boolean)) buttons.push(makeButton("Swap sides", () => this.swap()));
    if (next) buttons.push(makeButton(`Try ${next.title}`, () => board.begin({ player: next.player, moves: "", setUp: 0 })));
    buttons.push(makeButton("Review", () => this.cards.review()));
    this.end.className = `end card ${tone}`;
    this.end.replaceChildren(html("h2", {}, title), html("p", {}, about), html("div", { class: "buttons" }, ...buttons));
    this.end.hidden = false;
  }
}
