// The start page: one board, its address, and cards that open other games on it.
//
// The address follows the game, so that it can be kept, sent and reloaded; Back leads to the game
// before. An address that asks for what there is not is said in a line, and the usual board opens.
import "./board.js";
import "./theme.js";
import { linkOf, settingOf } from "./record.js";

const place = /** @type {HTMLElement} */ (document.querySelector("[data-board]"));
const title = document.querySelector("[data-title]");
const problem = /** @type {HTMLElement} */ (document.querySelector("[data-problem]"));
const usual = { game: "connect4:6x7", player: "strength:1", side: "first", moves: "", setUp: 0, resigned: 0 };

/** What an address asks for. One that names no opponent means the strongest, and no game tic-tac-toe. */
function wanted(/** @type {string} */ search) {
  const found = settingOf(search);
  return Object.keys(found).length ? { game: "tictactoe", player: "best", ...found } : {};
}

let [isReturning, isFirst] = [false, true];

// Why one might care, above the boards that have more to say than their name.
const HEADLINES = {
  "connect4:6x7": ["A learned player: when it begins, nobody can beat it.", "Every game was checked. Try “Proved”, or start easier."],
  qubic: ["Whoever begins can always win. “Proved” does.", ""],
};
const pitch = document.querySelector("[data-pitch]");

const board = /** @type {any} */ (document.createElement("inarow-board"));
for (const [name, value] of Object.entries(place.dataset)) if (name !== "board") board.setAttribute(name, value);
const asked = wanted(location.search);
const start = { ...usual, ...asked };
for (const [name, value] of [["game", start.game], ["player", start.player], ["side", start.side], ["moves", start.moves], ["set-up", start.setUp]]) board.setAttribute(String(name), String(value));
if (start.resigned) board.setAttribute("resigned", String(start.resigned));

board.heading = document.querySelector("[data-heading]");
board.addEventListener("inarow-failed", ({ detail }) => {
  if (!location.search || (board.game && !board.game.problem)) return; // the board says it itself
  problem.textContent = `This address cannot be opened: ${detail}. Here is Connect Four instead.`;
  problem.hidden = false;
  history.replaceState(null, "", location.pathname);
  isReturning = true; // to the usual board, at the address without a question
  board.begin(usual);
});

board.addEventListener("inarow-setting", ({ detail }) => {
  const [headline, why] = HEADLINES[detail.game] ?? [board.description.title, ""];
  [title.textContent, pitch.textContent] = [headline, why];
  document.title = `${board.description.title}: play it here`;
  const link = linkOf(detail);
  const isBare = (isFirst || isReturning) && !location.search; // the address of the page alone stays
  if (detail.isNew && !isReturning && !isFirst) {
    history.pushState(null, "", link);
    board.scrollIntoView({ block: "nearest" });
  } else if (!isBare) history.replaceState(null, "", link);
  [isReturning, isFirst] = [false, false];
});

addEventListener("popstate", () => {
  isReturning = true;
  board.begin({ ...usual, ...wanted(location.search) });
});

// Cards and links to games open on the board of this page; a game in progress is not lost unasked.
document.addEventListener("click", (event) => {
  const link = /** @type {HTMLAnchorElement} */ (/** @type {Element} */ (event.target).closest("a[data-play]"));
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || !board.panel) return;
  event.preventDefault();
  const chosen = settingOf(new URL(link.href).search);
  board.panel.replace(() => {
    problem.hidden = true;
    scrollTo({ top: 0 });
    return board.begin({ moves: "", setUp: 0, resigned: 0, side: "first", player: undefined, ...chosen });
  });
});

place.replaceChildren(board);
