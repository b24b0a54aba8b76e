// A line of moves to step through on the board: what would have held, or how a player is beaten.
/** @import { MoveValue, State } from "./types.js" */
import { Adviser } from "./advice.js";
import { html, makeButton } from "./dom.js";
import { bestOf } from "./words.js";

const LONGEST_LINE = 12; // moves of a line
const LINE_SECONDS = 3;

/**
 * The moves that follow a position if both sides play the best that the adviser knows; `first` is
 * the move that the line begins with.
 */
export async function bestLine(/** @type {Adviser} */ adviser, /** @type {State} */ from, /** @type {number} */ first, seconds = LINE_SECONDS) {
  const until = performance.now() + 1000 * seconds;
  const [moves, states] = [[first], [await adviser.after(from, first)]];
  while (moves.length < LONGEST_LINE && !states.at(-1).end && performance.now() < until) {
    const values = await adviser.values(states.at(-1), 0.5);
    if (!values.length) break;
    moves.push(bestOf(values)[0].move);
    states.push(await adviser.after(states.at(-1), moves.at(-1)));
  }
  return { moves, states };
}

/** The controls of a line: `show(state, last)` draws a position of it, `close` leaves it. */
export function makeSteps(title, /** @type {State} */ from, line, names, show, close) {
  let at = 0;
  const where = html("p", { class: "where", role: "status" });
  const list = html("p", { class: "line" }, ...line.moves.map((move, i) => makeButton(names[move], () => go(i + 1), { class: "step" })));
  const go = (/** @type {number} */ step) => {
    at = Math.max(0, Math.min(step, line.states.length));
    const state = at ? line.states[at - 1] : from;
    for (const [i, button] of [...list.children].entries()) button.classList.toggle("chosen", i + 1 === at);
    where.textContent = at ? `Move ${at} of ${line.states.length}` : "Before the line";
    show(state, at > 0);
  };
  const buttons = [
    makeButton("‹", () => go(at - 1), { "aria-label": "one move back" }),
    makeButton("›", () => go(at + 1), { "aria-label": "one move on" }),
    makeButton("Back to the game", close),
  ];
  const card = html("section", { class: "card steps", "aria-label": "a line" }, html("h2", {}, title), list, where, html("div", { class: "buttons" }, ...buttons));
  go(1);
  return card;
}
