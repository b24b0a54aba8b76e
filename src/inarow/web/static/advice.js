// What is known of the moves of a position: exactly where the solver answers in time, certain where
// a search saw the end, else estimated. It asks an engine of its own, so that play never waits.
/** @import { Description, MoveValue, State } from "./types.js" */
import { openEngine, Source } from "./engine.js";

const STEP = 1 / 2048; // of a certain outcome's value, for each stone until then: `strengths.STEP`
const CERTAIN = 0.8; // estimates of the adviser are below it
const SLOW = 40; // empty cells above which a solver of 64-bit boards is not even asked

/** A solver's score as an outcome: as `from_score` in Python. */
export function fromScore(/** @type {number} */ score, /** @type {number} */ left, isMisere = false) {
  if (score === 0) return { value: 0, exact: true };
  const most = left - 2 * (Math.abs(score) - 1);
  const isOdd = score > 0 !== isMisere;
  return { value: Math.sign(score), exact: true, stones: most - Number(most % 2 !== Number(isOdd)) };
}

/** What the adviser's number means: an estimate, or a win or loss that its search has seen. */
export function fromEstimate(/** @type {number} */ number, hasCertain = true) {
  if (!hasCertain || Math.abs(number) <= CERTAIN) return { value: number, exact: false };
  return { value: Math.sign(number), exact: true, stones: Math.round((1 - Math.abs(number)) / STEP) };
}

/** Who is asked about positions. It is opened at the first question. */
export class Adviser {
  /** `sources` are the addresses of packages, the best first; the first that has anything to say is taken. */
  constructor(/** @type {string[]} */ sources, { onPage = false } = {}) {
    this.sources = sources;
    this.onPage = onPage;
    this.found = new Map(); // what was found, by stones
    this.asked = Promise.resolve();
  }

  /** Opens the engine; false where nobody gives advice. */
  open() {
    this.opening ??= this.#open();
    return this.opening;
  }

  async #open() {
    for (const address of this.sources) {
      try {
        const source = await Source.from(address);
        const { entries } = source.description.engine;
        if (!entries.values && !entries.solve) continue;
        this.game = source.description.game;
        this.isSearch = /^strength:/.test(source.description.player?.name ?? "");
        this.by = this.isSearch ? "a search some moves ahead" : (source.description.player?.title ?? "the player");
        this.canValue = Boolean(entries.values);
        this.canSolve = Boolean(entries.solve);
        this.engine = (await openEngine(source, { onPage: this.onPage })).engine;
        return true;
      } catch {
        // Another one may do.
      }
    }
    return false;
  }

  /**
   * The value of every move of a position, to the side to move. The solver gets so many seconds;
   * 0: only the estimate. Nothing for a position that is over.
   */
  async values(/** @type {State} */ state, seconds = 1) {
    if (state.end || !(await this.open())) return [];
    const key = state.stones.join("");
    const known = this.found.get(key);
    if (known && (known.isExact || known.seconds >= seconds)) return known.values;
    const turn = this.asked.then(() => this.#values(state, seconds, known?.values));
    this.asked = turn.then(() => {}, () => {});
    const values = await turn;
    this.found.set(key, { values, seconds, isExact: values.every((/** @type {MoveValue} */ one) => one.exact) });
    return values;
  }

  async #values(/** @type {State} */ state, /** @type {number} */ seconds, before) {
    const { engine, game } = this;
    await engine.ask({ ask: "put", stones: state.stones });
    let values = /** @type {MoveValue[]} */ (before ?? []);
    if (this.canValue && !before) {
      const answer = await engine.ask({ ask: "values" });
      values = answer.values.map(([move, number]) => ({ move, ...fromEstimate(number, this.isSearch) }));
    }
    const left = state.stones.length - state.ply;
    if (!this.canSolve || !seconds || left > SLOW) return values;
    const { values: scores } = await engine.ask({ ask: "solve", seconds });
    const exact = new Map(scores.filter(([, score]) => score !== null).map(([move, score]) => [move, fromScore(score, left, game.misere)]));
    const moves = values.length ? values : scores.map(([move]) => ({ move, value: 0, exact: false }));
    return moves.filter(({ move }) => values.length || exact.has(move)).map((one) => ({ ...one, ...exact.get(one.move) }));
  }

  /** The position after a move; what the board in play has is not touched. */
  async after(/** @type {State} */ state, /** @type {number} */ move) {
    const turn = this.asked.then(async () => {
      await this.engine.ask({ ask: "put", stones: state.stones });
      return (await this.engine.ask({ ask: "play", move })).state;
    });
    this.asked = turn.then(() => {}, () => {});
    return turn;
  }

  close() {
    this.engine?.close();
    this.engine = undefined;
    this.opening = Promise.resolve(false);
  }
}
