// A finished game looked at move by move: which move lost it, and what would have held. Values are
// exact where the adviser finds them in time; elsewhere they are its estimates, and called so.
/** @import { MoveValue, State } from "./types.js" */
import { Adviser } from "./advice.js";
import { html, makeButton } from "./dom.js";
import { make } from "./drawing.js";
import { bestOf, count, SYMBOLS, valueText } from "./words.js";

const REVIEW_SECONDS = 4.2; // for a game: the answer is there within five
const MOST_SOLVING = 0.8; // seconds for one position
const MISTAKE = 0.3; // of an estimate, from where a move is called a mistake
const [WIDE, HIGH, LEFT, TOP] = [600, 120, 52, 10]; // of the graph

/**
 * @typedef {object} Judged a move of a game
 * @property {number} ply how many moves were played with it
 * @property {number} side who played it
 * @property {number} move
 * @property {MoveValue | undefined} played
 * @property {MoveValue[]} best
 * @property {MoveValue[]} known the best of the moves whose value is exact
 * @property {boolean} isExact whether all that is said of it is certain
 * @property {number} cost by how much its value is below that of the best
 */

/** What is to be said of a move, given the values of all moves. */
export function judge(/** @type {MoveValue[]} */ values, /** @type {number} */ move, /** @type {number} */ ply) {
  const best = values.length ? bestOf(values) : [];
  const played = values.find((one) => one.move === move);
  const exact = values.filter((one) => one.exact);
  const known = exact.length ? bestOf(exact) : [];
  const isExact = values.length > 0 && exact.length === values.length;
  const cost = played && best.length ? best[0].value - played.value : 0;
  return { ply, side: ((ply - 1) % 2) + 1, move, played, best, known, isExact, cost };
}

/** Whether a move certainly gave something away: a win, or a draw. */
function isBlunder(/** @type {Judged} */ { played, known }) {
  return Boolean(played?.exact && known.length && known[0].value > played.value);
}

/** Whether a move was a mistake by estimates alone; an estimate and an exact value cannot be compared. */
function isDoubtful(/** @type {Judged} */ { played, best, cost }) {
  return Boolean(played && best.length && !played.exact && !best[0].exact && cost >= MISTAKE);
}

/**
 * The move that decided a game against a side, and how sure that is: "lost" where another move
 * certainly held, "certain" where from it on the game is certainly lost but nobody knows about the
 * other moves, "estimate" for the costliest move by estimates.
 */
export function findTurningPoint(/** @type {Judged[]} */ judged, /** @type {number} */ loser) {
  const own = judged.filter(({ side, played, best }) => side === loser && played && best.length);
  const isLost = (/** @type {Judged} */ { played }) => Boolean(played?.exact && played.value < 0);
  const thrown = own.filter((one) => isLost(one) && isBlunder(one) && one.known[0].value >= 0).at(-1);
  if (thrown) return { ...thrown, best: thrown.known, kind: "lost" };
  const certain = own[own.findLastIndex((one) => !isLost(one)) + 1];
  if (certain) return { ...certain, kind: "certain" };
  const costly = own.filter(isDoubtful).sort((one, other) => other.cost - one.cost)[0];
  return costly && { ...costly, kind: "estimate" };
}

/**
 * Looks at all moves of a game: estimates first, which come at once, then exact values from the last
 * move backwards for as long as there is time.
 */
export async function reviewGame(/** @type {Adviser} */ adviser, /** @type {State[]} */ states, /** @type {number[]} */ moves, setUp = 0, tell = (/** @type {number} */ done) => {}, seconds = REVIEW_SECONDS) {
  const until = performance.now() + 1000 * seconds;
  const left = () => (until - performance.now()) / 1000;
  /** @type {Map<number, MoveValue[]>} */ const found = new Map();
  for (const isSolving of [false, true]) {
    for (let ply = moves.length; ply > setUp && left() > 0; ply--) {
      if (isSolving && (!adviser.canSolve || found.get(ply)?.every((one) => one.exact))) continue;
      const limit = isSolving ? Math.min(MOST_SOLVING, 0.8 * left()) : 0;
      const values = await adviser.values(states[ply - 1], limit);
      if (values.length) found.set(ply, values);
      tell(isSolving ? moves.length : found.size);
    }
  }
  return [...found].sort(([one], [other]) => one - other).map(([ply, values]) => judge(values, moves[ply - 1], ply));
}

/**
 * The value of the game to the first player before each move that was judged, from 1 to -1. A search
 * to a fixed depth favours whoever moved last in it, so two estimates in a row are averaged.
 */
export function courseOf(/** @type {Judged[]} */ judged) {
  const raw = judged.filter(({ best }) => best.length).map(({ ply, side, best }) => ({
    ply: ply - 1, value: side === 1 ? best[0].value : -best[0].value, exact: best[0].exact,
  }));
  return raw.map((one, i) => {
    const other = raw[i + 1] ?? raw[i - 1];
    return one.exact || !other || other.exact ? one : { ...one, value: (one.value + other.value) / 2 };
  });
}

/** The course of a game as a picture, with its legend; `look` is told which position was pressed. */
export function drawCourse(/** @type {Judged[]} */ judged, /** @type {number} */ end, /** @type {number} */ length, /** @type {(ply: number) => void} */ look) {
  const course = courseOf(judged);
  if (end) course.push({ ply: length, value: [0, 1, -1, 0][end], exact: true });
  const x = (/** @type {number} */ ply) => LEFT + ((WIDE - LEFT - 10) * ply) / Math.max(1, length);
  const y = (/** @type {number} */ value) => TOP + ((HIGH - 2 * TOP - 14) * (1 - value)) / 2;
  const levels = /** @type {[number, string][]} */ ([[1, "X wins"], [0, "even"], [-1, "O wins"]]);
  const parts = levels.map(([value, text]) => make(
    "g", {}, make("line", { class: "rule", x1: LEFT, x2: WIDE, y1: y(value), y2: y(value) }),
    make("text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, text),
  ));
  const every = length > 40 ? 10 : 5;
  for (let ply = every; ply <= length; ply += every) parts.push(make("text", { x: x(ply), y: HIGH - 2, "text-anchor": "middle" }, ply));
  const path = course.map(({ ply, value }, i) => `${i ? "L" : "M"}${x(ply).toFixed(1)} ${y(value).toFixed(1)}`).join("");
  const dots = course.map(({ ply, value, exact }) => {
    const dot = make("circle", { class: exact ? "exact" : "guess", cx: x(ply), cy: y(value), r: length > 60 ? 2.5 : 4 });
    dot.addEventListener("click", () => look(ply));
    return dot;
  });
  return make(
    "svg", { class: "course", viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": "how the game went, from move to move" },
    ...parts, make("path", { d: path }), ...dots,
  );
}

/** What a review says, in sentences. */
export function reviewTexts(judged, /** @type {number} */ end, game, /** @type {number} */ length) {
  const texts = [];
  const known = judged.filter(({ best }) => best.length);
  if (!known.length) return { texts: ["Nothing is known of the moves of this game."], turn: undefined };
  const loser = end === 1 ? 2 : end === 2 ? 1 : 0;
  const turn = loser ? findTurningPoint(known, loser) : undefined;
  if (turn) {
    const [who, what] = [SYMBOLS[turn.side], `move ${turn.ply}, ${game.moves[turn.move]}`];
    const better = turn.best.slice(0, 4).map(({ move }) => game.moves[move]).join(", ");
    if (turn.kind === "lost") {
      texts.push(`${who} lost the game with ${what}: it ${valueText(turn.played)}.`);
      texts.push(`Better was ${better}, which ${valueText(turn.best[0])}.`);
    } else if (turn.kind === "certain") {
      texts.push(`From ${what}, on ${who} is certainly lost: it ${valueText(turn.played)}.`);
      const isEarly = judged.some((one) => one.side === turn.side && one.ply < turn.ply);
      const before = isEarly ? `; earlier moves of ${who} are only estimated` : "";
      texts.push(turn.isExact ? `Every other move loses, too${before}.` : "Whether another move held was only estimated.");
    } else {
      texts.push(`By the estimates ${who} lost most with ${what}: it ${valueText(turn.played)}.`);
      texts.push(`${better} ${valueText(turn.best[0])}.`);
    }
  } else if (loser) texts.push(`No single move of ${SYMBOLS[loser]} stands out as the one that lost.`);
  const mistakes = [1, 2].filter((side) => known.some((one) => one.side === side)).map((side) => {
    const wrong = known.filter((one) => one.side === side && (isBlunder(one) || isDoubtful(one))).length;
    return `${SYMBOLS[side]}: ${wrong ? count(wrong, "mistake") : "no mistake found"}.`;
  });
  texts.push(mistakes.join(" "));
  const exact = known.filter(({ isExact }) => isExact).length;
  const unseen = length - known.length;
  const how = exact === known.length ? "All values are exact." : exact ? `${count(exact, "move")} judged exactly, ${known.length - exact} by estimate.` : "All values are estimates.";
  texts.push(unseen > 0 ? `${how} ${count(unseen, "move")} not reached in time.` : how);
  return { texts, turn };
}

/** The card of a review: what it says, the course, and ways to look at the moves. */
export function makeReview(judged, details) {
  const { game, end, length, look, showLine } = details;
  const { texts, turn } = reviewTexts(judged, end, game, length);
  const legend = html(
    "p", { class: "legend" }, html("span", { class: "dot exact" }), "exact ", html("span", { class: "dot guess" }), "estimate. Press a dot to look at that position.",
  );
  const buttons = turn ? [makeButton(`Look at move ${turn.ply}`, () => look(turn.ply))] : [];
  if (turn && turn.kind !== "certain") buttons.push(makeButton(turn.kind === "lost" ? "What would have held" : "What looked better", () => showLine(turn)));
  return html(
    "section", { class: "card review", "aria-label": "review" }, html("h2", {}, "Review"),
    ...texts.map((text) => html("p", {}, text)), drawCourse(judged, end, length, look), legend,
    html("div", { class: "buttons" }, ...buttons),
  );
}

/** The marks of moves in the list: ?? for one that certainly gave a win or a draw away, ? for a mistake by estimates. */
export function marksOf(/** @type {Judged[]} */ judged) {
  const marks = new Map();
  for (const one of judged) {
    if (isBlunder(one)) marks.set(one.ply, "??");
    else if (isDoubtful(one)) marks.set(one.ply, "?");
  }
  return marks;
}
