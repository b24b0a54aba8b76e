// <inarow-board game="connect4:6x7" player="strength:2" side="first">: a board to play on.
//
//   game, player   what is played, against whom; no player: two people at one board
//   side           of the person: first (as it is without), second, or both
//   moves, set-up  moves that the game begins with, and how many of them were never played
//   packages       where the packages lie: a folder (`package.folder_of` names them), or an address
//                  that ends in a question mark; or src, the address of one package, `#ID` in the page
//   games          the index of games and opponents: an address, or `#ID` in the page
//   adviser        who values moves where the player does not (strength:8)
//   server         the address of an API that is asked for the moves of players that no page can run
//   controls       all (as it is without), few, or none
//   home           the address that links to games begin with, if it is not the page's own
//   engine="page"  runs the compiled code on the page, without a worker
//   fixed          what the player leaves to chance is the same in each visit
//
// What is inside the element stays until the board can be played, and if it cannot: a picture.
// Events: `inarow-move` with { moves, end } after every move, `inarow-setting` with what an address
// should say, `inarow-failed` with one line where something could not be opened.
import { Adviser } from "./advice.js";
import { askFirst, html } from "./dom.js";
import { Drawing } from "./drawing.js";
import { openEngine } from "./engine.js";
import { Game } from "./game.js";
import { Input } from "./input.js";
import { Library } from "./library.js";
import { Panel } from "./panel.js";
import { recordText, storeGame } from "./record.js";
import { Sound } from "./sound.js";
import { Stage } from "./stage.js";
import { movesText, nameOf, parseMoves } from "./words.js";

const ADVISER = "strength:8";
const PEOPLE_SIDES = ["first", "second", "both"];

/** Refuses what a setting cannot mean. */
function checkNumbers({ setUp, resigned }, /** @type {number} */ moves) {
  if (!(Number.isInteger(setUp) && setUp >= 0 && setUp <= moves)) throw new Error(`the moves that set up the position are 0 to ${moves} of those given`);
  if (![0, 1, 2].includes(resigned)) throw new Error("the side that has resigned is 1 or 2");
}

/** Why a game cannot begin with moves: the first that is not possible, by its name. */
export function refusalOf(game, description, /** @type {number} */ move) {
  const { columns, gravity, moves } = description;
  const isOpen = game.state.open.some((/** @type {number} */ cell) => cell % columns === move);
  const why = game.state.end ? "the game is over before it" : isOpen ? game.problem : gravity ? "its column is full" : "its cell is taken";
  return `move ${game.moves.length + 1}, ${moves[move]}, cannot be played: ${why}`;
}

export class BoardElement extends HTMLElement {
  /** @type {Game} */ game;
  /** @type {import("./types.js").Description} */ description;
  /** @type {{ player: string, title: string, about: string }[]} */ opponents;
  /** @type {number[][]} */ lines;
  /** @type {any[]} */ games;
  /** @type {string} */ id_; // of the game among the last ones
  /** @type {HTMLElement | undefined} */ heading; // of the page, which stands beside the board
  saidSetting = "";
  sound = new Sound();
  library = new Library(this);

  async connectedCallback() {
    this.lost = false;
    this.leaving = new AbortController();
    this.wish = {
      game: this.getAttribute("game") ?? "", player: this.getAttribute("player") ?? "", side: this.getAttribute("side") ?? "first",
      moves: this.getAttribute("moves") ?? "", setUp: Number(this.getAttribute("set-up") ?? 0), resigned: Number(this.getAttribute("resigned") ?? 0),
    };
    document.addEventListener("keydown", (event) => this.keyOutside(event), { signal: this.leaving.signal });
    await this.begin({});
  }

  disconnectedCallback() {
    this.lost = true;
    this.leaving.abort();
    this.game?.close();
    this.adviser?.close();
  }

  /** What is on the board, as links and records have it. */
  get setting() {
    const { game, wish } = this;
    const moves = game ? movesText(this.description, game.moves) : wish.moves;
    return { ...wish, moves, setUp: game?.setUp ?? wish.setUp, resigned: game?.resigned ?? 0 };
  }

  get home() {
    return new URL(this.getAttribute("home") ?? location.pathname, document.baseURI);
  }

  get record() {
    return recordText(this.description, this.setting, this.game.moves, this.game.end);
  }

  get playerName() {
    return this.wish.player ? nameOf(this.wish.player, this.opponents) : "";
  }

  /** Opens a game in place of the one that is there; what is not said stays. One that fails changes nothing. */
  async begin(change) {
    const turn = (this.turn = Symbol("opening"));
    const before = this.wish;
    this.setAttribute("aria-busy", "true");
    this.opening ??= new Promise((resolve) => (this.isOpened = resolve));
    try {
      const wish = { ...this.setting, ...change };
      if (change.moves !== undefined && change.resigned === undefined) wish.resigned = 0; // that was another game
      if (change.game && change.game !== before.game && change.player === undefined) wish.player = null; // whoever is there
      await this.open(wish, turn);
    } catch (error) {
      if (!this.lost && turn === this.turn) this.complain(error instanceof Error ? error.message : String(error));
    }
    if (turn === this.turn) this.opened();
  }

  /** The board that was asked for last is there, or cannot be opened. */
  opened() {
    this.removeAttribute("aria-busy");
    this.isOpened?.();
    this.opening = this.isOpened = undefined;
  }

  async open(wish, turn) {
    if (!PEOPLE_SIDES.includes(wish.side)) throw new Error(`a side is ${PEOPLE_SIDES.join(", ")}, not “${wish.side.slice(0, 30)}”`);
    const index = await this.library.readIndex();
    const opponents = this.library.opponentsOf(index, wish.game);
    wish.player ??= opponents.some((one) => one.player === this.wish.player) ? this.wish.player : (opponents[0]?.player ?? "");
    if (wish.player === "best" && opponents.length) wish.player = opponents.at(-1).player;
    const [source, server] = await this.library.sourceOf(wish);
    source.isFixed = this.hasAttribute("fixed");
    const onPage = this.getAttribute("engine") === "page";
    const { engine, state, lines } = await openEngine(source, { onPage, server, player: wish.player });
    const { game: description } = source.description;
    const game = new Game(engine, state, this.peopleOf(wish), () => this.show());
    try {
      const moves = parseMoves(description, wish.moves);
      checkNumbers(wish, moves.length);
      game.changed = () => {};
      await game.load(moves, wish.setUp, wish.resigned);
      if (game.problem) throw new Error(refusalOf(game, description, moves[game.moves.length]));
      if (this.lost || turn !== this.turn) throw new Error("something else was opened");
    } catch (error) {
      game.close();
      throw error;
    }
    game.changed = () => this.show();
    this.game?.close();
    this.adviser?.close();
    Object.assign(this, { description, game, opponents, games: index, lines, wish, id_: crypto.randomUUID?.() ?? String(Math.random()) });
    this.lastPlayer = wish.player || this.lastPlayer;
    const own = this.getAttribute("src");
    const adviser = this.library.addressOf(wish.game, this.getAttribute("adviser") ?? ADVISER);
    this.adviser = new Adviser(own ? [own] : [adviser, this.library.addressOf(wish.game, wish.player)], { onPage });
    this.build();
    this.dataset.ready = "true";
    delete this.dataset.failed;
    this.isNew = true; // the next address is that of another game
    this.show();
    this.opened();
    await this.game.begin();
    if (game.problem && this.game === game) throw new Error(game.problem);
  }

  peopleOf({ player, side }) {
    if (!player || side === "both") return [true, true];
    return [side !== "second", side === "second"];
  }

  /** The board, what is said of it and the controls, in place of what was there. */
  build() {
    const { description } = this;
    const controls = this.getAttribute("controls") ?? "all";
    const { layers } = description;
    this.drawings = [new Drawing(description)];
    if (layers) this.drawings.push(new Drawing({ ...description, ...layers, style: "flat" }, true));
    this.panel = new Panel(this);
    this.stage = new Stage(this);
    const { panel, stage } = this;
    panel.bar.hidden = controls === "none";
    panel.choices.hidden = panel.side.hidden = controls !== "all";
    const main = html("div", { class: "main" }, ...stage.rooms());
    const rules = html("p", { class: "rules" }, description.rules);
    const parts = [this.heading ?? null, panel.choices, stage.head, main, panel.end, panel.bar, panel.advice, rules, panel.side];
    this.replaceChildren(html("div", { class: controls === "all" ? "all beside" : "all" }, ...parts));
    this.setUp = null;
    this.line = null;
    this.input = new Input(this.drawings, {
      landing: (/** @type {number} */ cell) => (this.canPress ? this.game.landing(cell, description.columns) : undefined),
      side: () => (this.game.shown.ply % 2) + 1,
      press: (/** @type {number} */ cell) => this.press(cell),
      hint: (/** @type {boolean} */ isFinger, /** @type {number} */ lines, /** @type {number} */ number) => stage.hint(isFinger, lines, number),
    }, this.lines);
  }

  /** Whether a press on a cell would play a move, be it after going back to the position shown. */
  get canPress() {
    const { game } = this;
    if (this.setUp || this.line) return false;
    return game.looked === null ? game.waits : game.people[game.shown.ply % 2] && !game.shown.end && !game.problem;
  }

  async press(/** @type {number} */ cell) {
    const { name, columns, gravity } = this.description;
    if (this.opening) await this.opening; // a press is for the game that was chosen just before
    if (name !== this.description.name) return;
    const { game, stage } = this;
    if (this.setUp) return this.setUp.press(cell);
    if (this.line) return;
    if (!this.canPress) return game.looked === null ? undefined : stage.say("It is not your turn in this position. “Go on from here” plays on from it.");
    if (game.landing(cell, columns) === undefined) return stage.say(gravity ? "This column is full." : "This cell is taken.");
    if (game.looked !== null) {
      const lost = game.moves.length - game.ply;
      if (!(await askFirst(this, `Play on from here? ${lost === 1 ? "The move" : `The ${lost} moves`} after it will be dropped.`, "Play on"))) return;
      await game.goOn();
    }
    return game.play(cell % columns);
  }

  /** Digits go to the only board of a page wherever the focus is, unless somebody types into a field. */
  keyOutside(/** @type {KeyboardEvent} */ event) {
    const isOnly = document.querySelectorAll("inarow-board").length === 1;
    const isNear = isOnly || document.activeElement === document.body || this.contains(document.activeElement);
    if (this.input && isNear && !this.querySelector("dialog[open]")) this.input.typeFrom(event);
  }

  /** After every change of the game. */
  show() {
    const { game, stage } = this;
    if (this.setUp || this.line) return;
    const last = game.shown.history.at(-1);
    const isLast = game.looked === null;
    for (const drawing of this.drawings) drawing.show(game.shown, isLast ? game.end : game.shown.end);
    const token = (this.shownNow = Symbol("shown"));
    const finish = () => {
      if (token !== this.shownNow || this.lost) return;
      for (const drawing of this.drawings) drawing.mark(game.shown, last);
      stage.tell();
      if (game.end && isLast && game.moves.length + game.resigned !== this.ended) {
        this.ended = game.moves.length + game.resigned;
        this.panel.showEnd();
        this.sound.end(game.people[game.end - 1] ?? false);
      }
    };
    if (!game.end) this.ended = undefined;
    if (game.shown.end) this.drawings[0].settled().then(finish); // the end is told when the last stone lies
    else finish();
    this.input.refresh();
    this.panel.refresh();
    this.classList.toggle("waiting", game.waits);
    this.classList.toggle("thinking", game.thinking);
    this.classList.toggle("looking", !isLast);
    if (game.moves.length !== this.told) {
      if (game.moves.length > (this.told ?? 0)) this.sound.stone();
      this.told = game.moves.length;
      this.dispatchEvent(new CustomEvent("inarow-move", { bubbles: true, detail: { moves: [...game.moves], end: game.end } }));
    }
    this.tellSetting();
    if (game.moves.length > game.setUp) storeGame(this.id_, this.description, this.setting, game.moves, game.end);
  }

  tellSetting() {
    const { setting, isNew } = this;
    const said = JSON.stringify(setting);
    if (said === this.saidSetting && !isNew) return;
    [this.saidSetting, this.isNew] = [said, false];
    this.dispatchEvent(new CustomEvent("inarow-setting", { bubbles: true, detail: { ...setting, isNew } }));
  }

  /** One line where the board cannot be played; what stood there stays. */
  complain(/** @type {string} */ why) {
    this.querySelector(".problem.cannot")?.remove();
    this.dispatchEvent(new CustomEvent("inarow-failed", { bubbles: true, detail: why }));
    const line = html("p", { class: "problem cannot", role: "alert" });
    if (this.game) {
      line.textContent = `This cannot be opened: ${why}.`;
      this.panel.fillChoices();
      this.prepend(line);
      return;
    }
    this.dataset.failed = "true";
    line.textContent = `This board cannot be played here: ${why}.`;
    this.append(line);
  }
}

if (!customElements.get("inarow-board")) customElements.define("inarow-board", BoardElement);
