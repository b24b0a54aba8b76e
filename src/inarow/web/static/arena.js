// The page Arena: the form, the crosstable as it fills, and every game to step through.
import { gameField } from "./form.js";
import { ask, find, html, listen, trying, wholeNumber } from "./lab.js";
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

/** Who can play the game; who was chosen stays if it can. */
async function showPlayers(wanted = chosen()) {
  if (!game.read()) return;
  const found = await trying(message, () => ask(`opponents?game=${encodeURIComponent(game.read())}`));
  if (!found) return;
  const usual = wanted.length ? wanted : ["random", "attack", "attack-defense"];
  players.replaceChildren(
    ...found.opponents.map(({ player, title, about }) =>
      html("label", { class: "check" }, html("input", { type: "checkbox", value: player, checked: usual.includes(player) }), html("span", {}, html("b", { text: title }), ` ${about}`)),
    ),
  );
}

form.addEventListener("submit", (/** @type {Event} */ event) => {
  event.preventDefault();
  trying(message, async () => {
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
find("#stop").addEventListener("click", () => trying(message, () => ask("arena/stop", {})));

// The crosstable

function cell(/** @type {string} */ one, /** @type {string} */ other, /** @type {[string, string, number] | null} */ told) {
  if (!told) return html("td");
  const [score, counts, share] = told;
  const strength = Math.round(Math.abs(share - 0.5) * 110);
  const button = html(
    "button", { type: "button", style: `--strength:${strength}%`, class: share >= 0.5 ? "won" : "lost", "data-testid": `cell-${one}-${other}`,
      "aria-label": `${score} ${counts}: ${one} against ${other}; see the games`, click: () => open(one, other) },
    html("span", { text: score }), html("small", { text: counts }),
  );
  return html("td", {}, button);
}

function showTable() {
  const names = arena.rows.map((/** @type {any} */ { name }) => name);
  const head = html("tr", {}, html("th", { scope: "col", class: "player", text: "player" }), ...["rating", "score", ...names.map((_, place) => String(place + 1))].map((text) => html("th", { scope: "col", text })));
  const rows = arena.rows.map((/** @type {any} */ row, place) =>
    html(
      "tr", { "data-testid": `row-${row.name}` },
      html("th", { scope: "row", class: "player", text: `${place + 1}  ${row.name}` }),
      html("td", {}, html("b", { text: row.rating }), html("small", { text: row.interval })), html("td", { text: row.score }),
      ...row.cells.map((told, other) => cell(row.name, names[other], told)),
    ),
  );
  const table = html("table", { class: "crosstable", "data-testid": "crosstable" }, html("thead", {}, head), html("tbody", {}, ...rows));
  const focused = document.activeElement?.getAttribute("data-testid");
  find("#table .scroll").replaceChildren(table);
  if (focused?.startsWith("cell-")) [...table.querySelectorAll("button")].find((one) => one.dataset.testid === focused)?.focus();
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
    showPlayers(told.names ?? []);
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
  clearInterval(running);
  const sides = find("[data-testid=replay-sides]");
  const place = find("#replay-board");
  find("#replay-title").textContent = pair.join(" - ");
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
