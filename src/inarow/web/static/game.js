// A game in play: whose turn it is, who plays which side, taking back, giving up, looking back at
// earlier positions. It draws nothing.
/** @import { State } from "./types.js" */

export const GOING_ON = 0;
export const DRAW = 3;

export class Game {
  #turn = 0; // changes whenever a reply that is still computed is not wanted any more
  #isAsked = false; // the engine still computes a reply
  #isPlaying = false; // a move was made that the engine has not played yet

  /** `people[side - 1]` says whether a person plays that side; `changed` is told of every change. */
  constructor(engine, /** @type {State} */ state, /** @type {boolean[]} */ people, /** @type {() => void} */ changed) {
    this.engine = engine;
    this.states = [state]; // after each move, so that looking back asks nobody
    this.people = people;
    this.changed = changed;
    this.moves = /** @type {number[]} */ ([]);
    this.setUp = 0; // so many of the moves were never played: they set up the position
    this.looked = /** @type {number | null} */ (null); // how many moves are shown, while looking back
    this.thinking = false;
    this.resigned = 0; // the side that has given up
    this.problem = "";
  }

  /** The position after the last move. */
  get state() {
    return /** @type {State} */ (this.states.at(-1));
  }

  /** The position that is looked at. */
  get shown() {
    return this.states[this.looked ?? this.states.length - 1];
  }

  /** How many moves lead to the position that is looked at. */
  get ply() {
    return this.looked ?? this.moves.length;
  }

  get toMove() {
    return (this.state.ply % 2) + 1;
  }

  /** How the game stands, giving up included. */
  get end() {
    return this.resigned ? 3 - this.resigned : this.state.end;
  }

  /** Whether a person may play now. */
  get waits() {
    const isBusy = this.thinking || this.#isPlaying || this.looked !== null;
    return !this.end && !isBusy && !this.problem && this.people[this.toMove - 1];
  }

  /** Whether moves would be lost if something else took the game's place. */
  get isInProgress() {
    return !this.end && this.moves.length > this.setUp + 2;
  }

  /** The cell that a stone comes to lie on that is played at a cell: in its column, if it falls. */
  landing(/** @type {number} */ cell, /** @type {number} */ columns) {
    return this.shown.open.find((open) => open % columns === cell % columns);
  }

  /** Plays the moves that a game begins with, or had when it was left. */
  async load(/** @type {number[]} */ moves, setUp = 0, resigned = 0) {
    await this.#guarded(async () => {
      for (const move of moves) await this.#push(move, false);
      [this.setUp, this.resigned] = [Math.min(setUp, this.moves.length), this.state.end ? 0 : resigned];
      this.changed();
    });
  }

  /** A person plays a move; anything that is not one is ignored. */
  async play(/** @type {number} */ move) {
    if (!this.waits) return;
    await this.#guarded(async () => {
      await this.#push(move);
      await this.#reply();
    });
  }

  /** Lets the player move, if it is its turn. */
  async begin() {
    await this.#guarded(() => this.#reply());
  }

  /** Looks at the position after so many moves; after all of them, at the game itself. */
  look(/** @type {number} */ ply) {
    const kept = Math.max(0, Math.min(ply, this.moves.length));
    this.looked = kept === this.moves.length ? null : kept;
    this.changed();
  }

  /** Goes on from the position that is looked at: what came after it is dropped. */
  async goOn() {
    if (this.looked === null || this.#isPlaying) return;
    const kept = this.looked;
    await this.#guarded(async () => {
      await this.#backTo(kept);
      [this.resigned, this.setUp] = [0, Math.min(this.setUp, kept)];
      this.changed();
      await this.#reply();
    });
  }

  /** Takes back to the last position in which a person could move. */
  async undo() {
    if (!this.canUndo || this.#isPlaying) return;
    await this.#guarded(async () => {
      await this.#backTo(this.#keptByUndo());
      this.resigned = 0;
      this.changed();
      await this.#reply();
    });
  }

  get canUndo() {
    return this.#keptByUndo() >= 0;
  }

  /** How many moves are left after taking back; -1 where there is nothing to take back. */
  #keptByUndo() {
    for (let ply = this.moves.length - 1; ply >= this.setUp; ply--) if (this.people[ply % 2]) return ply;
    return -1;
  }

  resign() {
    if (this.end || !this.people.includes(true)) return;
    this.resigned = this.people[this.toMove - 1] ? this.toMove : 3 - this.toMove;
    this.#turn++;
    [this.thinking, this.looked] = [false, null];
    this.changed();
  }

  /** A new game from the same beginning; with `people` by others. */
  async restart(people = this.people) {
    if (this.#isPlaying) return;
    this.people = people;
    await this.#guarded(async () => {
      await this.#backTo(this.setUp);
      await this.engine.ask({ ask: "ready" });
      this.resigned = 0;
      this.changed();
      await this.#reply();
    });
  }

  close() {
    this.#turn++;
    this.engine.close();
  }

  async #push(/** @type {number} */ move, isTold = true) {
    this.#isPlaying = true;
    try {
      this.states.push((await this.engine.ask({ ask: "play", move })).state);
      this.moves.push(move);
    } finally {
      this.#isPlaying = false;
    }
    if (isTold) this.changed();
  }

  /** Goes back to the first so many moves. An engine that computes, or has failed, is opened anew. */
  async #backTo(/** @type {number} */ kept) {
    this.looked = null;
    if (this.#isAsked || this.problem) {
      [this.#isAsked, this.thinking, this.problem] = [false, false, ""];
      const moves = this.moves.splice(0).slice(0, kept);
      this.states = [(await this.engine.interrupt()).state];
      for (const move of moves) await this.#push(move, false);
    }
    this.#isPlaying = true;
    try {
      while (this.moves.length > kept) {
        await this.engine.ask({ ask: "back" });
        this.moves.pop();
        this.states.pop();
      }
    } finally {
      this.#isPlaying = false;
    }
  }

  async #reply() {
    const turn = this.#turn;
    while (!this.end && !this.people[this.toMove - 1]) {
      this.thinking = true;
      this.changed();
      this.#isAsked = true;
      const { move } = await this.engine.ask({ ask: "reply" });
      this.#isAsked = false;
      if (turn !== this.#turn) return;
      this.thinking = false;
      await this.#push(move);
    }
    this.changed();
  }

  /** Work of which a failure is shown in a line, unless something newer has taken its place. */
  async #guarded(/** @type {() => Promise<void>} */ work) {
    const turn = ++this.#turn;
    try {
      await work();
    } catch (error) {
      if (turn !== this.#turn) return;
      this.thinking = false;
      this.problem = error instanceof Error ? error.message : String(error);
      this.changed();
    }
  }
}
