// The page Arena: the form, the crosstable as it fills, and every game to step through.
import { gameField } from "./form.js";
import { ask, enable, find, html, listen, listenForNames, trying, wholeNumber } from "./lab.js";
import { describeGame, Picture, Replay } from "./picture.js";

const PAUSE = 700; // milliseconds between two moves that show themselves
const form = find("#arena");
const message = find("[data-testid=arena-message]");
const players = find("#players");
const game = gameField(form, () => showPlayers());
const { games, seed } = form.elements;
let arena = /** @type {any} */ ({});

// The form

const chosen = () => [.../** @type {NodeListOf<HTMLInputElement>} */ (players.querySelectorAll(":checked"))].map((box) => box.value);

let [question, listed] = [0, Promise.resolve()];
/** Lists who can play the game; who was chosen stays if it can. */
const showPlayers = (wanted = chosen()) => (listed = listPlayers(wanted));

async function listPlayers(/** @type {string[]} */ wanted) {
  if (!game.read()) return;
  const now = ++question;
  const found = await trying(message, () => ask(`opponents?game=${encodeURIComponent(game.read())}`), () => now === question);
  if (now !== question || !found) return;
  const usual = wanted.length ? wanted : ["random", "attack", "attack-defense"];
  players.replaceChildren(
    ...found.opponents.map(({ player, title, about }) =>
      html("label", { class: "check" }, html("input", { type: "checkbox", value: player, checked: usual.includes(player) }), html("span", {}, html("b", { text: title }), ` ${about} `, html("code", { class: "technical", text: player }))),
    ),
  );
}

form.addEventListener("submit", (/** @type {Event} */ event) => {
  event.preventDefault();
  trying(message, async () => {
    await listed;
    await ask("arena", { game: game.read(), players: chosen(), games: wholeNumber(games.value, "Games per pair"), seed: wholeNumber(seed.value, "Seed") });
    replay.hidden = true;
    find("#table").scrollIntoView({ block: "nearest" });
  });
});
find("[data-testid=upload]").addEventListener("change", (/** @type {any} */ { target }) => {
  const [file] = target.files;
  if (!file) return;
  trying(message, async () => {
    const loaded = await ask(`uploads?name=${encodeURIComponent(file.name)}`, file);
    target.value = "";
    game.set(loaded.game);
    await showPlayers([...chosen(), loaded.name]);
    message.textContent = `${loaded.name} plays ${loaded.game}.`;
  });
});
listenForNames();
find("#stop").addEventListener("click", () => trying(message, () => ask("arena/stop", {})));

// The crosstable

/** @type {Map<string, any>} */ const parts = new Map(); // of the rows, by the players' names
let order = "";

/** Shows the crosstable: made anew where a row moves or a result is the first of its pair. */
function showTable() {
  const now = JSON.stringify([arena.id, arena.rows.map((/** @type {any} */ { name, cells }) => [name, cells.map(Boolean)])]);
  if (now !== order) makeTable();
  order = now;
  for (const row of arena.rows) fillRow(row); // in place, so that no press on a cell is lost
}

function makeTable() {
  const head = ["rating", "score", ...arena.rows.map((_, place) => String(place + 1))].map((text) => html("th", { scope: "col", text }));
  const rows = arena.rows.map((/** @type {any} */ row, place) => makeRow(row, place));
  const table = html(
    "table", { class: "crosstable", "data-testid": "crosstable" },
    html("thead", {}, html("tr", {}, html("th", { scope: "col", class: "player", text: "player" }), ...head)), html("tbody", {}, ...rows),
  );
  const focused = document.activeElement?.getAttribute("data-testid");
  find("#table .scroll").replaceChildren(table);
  if (focused?.startsWith("cell-")) [...table.querySelectorAll("button")].find((one) => one.dataset.testid === focused)?.focus();
}

function makeRow(/** @type {any} */ row, /** @type {number} */ place) {
  const [rating, interval, score] = [html("b"), html("small"), html("td")];
  const buttons = row.cells.map((told, i) => told && makeCell(row, arena.rows[i]));
  parts.set(row.name, { rating, interval, score, buttons });
  return html(
    "tr", { "data-testid": `row-${row.name}` },
    html("th", { scope: "row", class: "player" }, `${place + 1}  ${row.title} `, html("code", { class: "technical", text: row.name })),
    html("td", {}, rating, interval), score, ...buttons.map((button) => html("td", {}, ...(button ? [button] : []))),
  );
}

const makeCell = (/** @type {any} */ row, /** @type {any} */ other) =>
  html("button", { type: "button", "data-testid": `cell-${row.name}-${other.name}`, click: () => open(row.name, other.name) }, html("span"), html("small"));

function fillRow(/** @type {any} */ row) {
  const { rating, interval, score, buttons } = parts.get(row.name);
  [rating.textContent, interval.textContent, score.textContent] = [row.rating, row.interval, row.score];
  for (const [i, told] of row.cells.entries()) {
    if (!told) continue;
    const [text, counts, share] = told;
    const button = buttons[i];
    button.style.setProperty("--strength", `${Math.round(Math.abs(share - 0.5) * 110)}%`);
    button.className = share >= 0.5 ? "won" : "lost";
    button.setAttribute("aria-label", `${text} ${counts}: ${row.title} against ${arena.rows[i].title}; see the games`);
    [button.children[0].textContent, button.children[1].textContent] = [text, counts];
  }
}

let isFirst = true;
function take(/** @type {any} */ told) {
  const rowsBefore = JSON.stringify(arena.rows);
  const isNew = told.id !== arena.id;
  arena = told;
  find("[data-testid=no-arena]").hidden = "game" in told;
  find("#table").hidden = !("game" in told);
  if (isFirst) {
    isFirst = false;
    game.set(told.game ?? new URLSearchParams(location.search).get("game") ?? "tictactoe");
    if (told.game) [games.value, seed.value] = [told.games, told.seed];
    showPlayers(told.names ?? []).then(() => enable(form));
  }
  if (!("game" in told)) return;
  find("#table-title").textContent = told.title;
  find("#table progress").value = told.share;
  find("[data-testid=arena-state]").textContent = told.state;
  find("#notes").textContent = told.notes;
  find("#stop").hidden = !told.active;
  if (isNew) replay.hidden = true;
  if (JSON.stringify(told.rows) !== rowsBefore) showTable();
}

// A game, move by move

const replay = find("#replay");
const number = find("[name=number]", replay);
const slider = find("[name=ply]", replay);
let pair = ["", ""];
let shown = /** @type {{ replay: Replay, told: any } | null} */ (null);
let running = 0;
let turn = 0;

function open(/** @type {string} */ one, /** @type {string} */ other) {
  pair = [one, other];
  number.value = "1";
  replay.hidden = false;
  load();
  replay.scrollIntoView({ block: "nearest" });
}

async function load() {
  const now = ++turn;
  stopRunning();
  const sides = find("[data-testid=replay-sides]");
  const place = find("#replay-board");
  find("#replay-title").textContent = pair.map((name) => arena.rows.find((/** @type {any} */ row) => row.name === name)?.title ?? name).join(" - ");
  shown = null;
  place.replaceChildren();
  find("[data-testid=replay-moves]").textContent = "";
  sides.textContent = "Loading the game ...";
  try {
    const question = new URLSearchParams({ one: pair[0], other: pair[1], number: String(wholeNumber(number.value, "Game")) });
    const told = await ask(`arena/game?${question}`);
    const picture = new Picture(await describeGame(told.game));
    if (now !== turn) return; // somebody was quicker
    find("#replay-title").textContent = told.title;
    sides.textContent = told.sides;
    place.replaceChildren(picture.root);
    shown = { replay: new Replay(picture, told), told };
    slider.max = String(told.cells.length);
    go(told.cells.length);
  } catch (error) {
    if (now === turn) sides.textContent = error instanceof Error ? error.message : String(error);
  }
}

function go(/** @type {number} */ ply) {
  if (!shown) return;
  const { replay: game, told } = shown;
  const at = Math.min(game.length, Math.max(0, ply));
  slider.value = String(at);
  game.show(at);
  const last = at ? `, ${told.moves[at - 1]}` : "";
  find("[data-testid=replay-moves]").textContent = `Move ${at} of ${game.length}${last}. Moves: ${told.notation}`;
  const moves = told.moves.slice(0, at).join(" ");
  find("[data-testid=open-in-play]").href = `/?${new URLSearchParams({ game: told.game, against: "human", moves })}`;
}

function run() {
  if (running) return stopRunning();
  if (Number(slider.value) >= Number(slider.max)) go(0);
  running = window.setInterval(() => {
    if (Number(slider.value) >= Number(slider.max)) stopRunning();
    else go(Number(slider.value) + 1);
  }, PAUSE);
}
function stopRunning() {
  clearInterval(running);
  running = 0;
}

const step = (/** @type {number} */ by) => {
  number.value = String(Math.min(arena.games ?? 1, Math.max(1, (Number(number.value) || 1) + by)));
  load();
};
const ACTS = {
  previous: () => step(-1), next: () => step(1), start: () => go(0), end: () => go(1e9), run,
  back: () => go(Number(slider.value) - 1), forward: () => go(Number(slider.value) + 1),
};
replay.addEventListener("click", ({ target }) => {
  const { act } = /** @type {HTMLElement} */ (target).dataset;
  if (act && act !== "run") stopRunning();
  if (act) ACTS[act]();
});
slider.addEventListener("input", () => (stopRunning(), go(Number(slider.value))));
number.addEventListener("change", load);

listen("arena/events", take);
