// The page Boards: a game put together from its parts, with a picture that can be played.
import "./board.js";
import { ask, find, html, trying } from "./lab.js";

const FIRST = "connect4:6x7";
const WAIT = 250; // milliseconds after a key before the picture follows
const builder = find("#builder");
const { example, name, dimensions, k } = builder.elements;
const [sides, message, ways] = [find("#sides"), find("[data-testid=board-message]"), find("#ways")];
const FLAGS = ["gravity", "scoring", "misere"];
let asked = 0;
let waiting = 0;

const given = (/** @type {string} */ part) => [.../** @type {any} */ (sides.querySelectorAll(`[name=${part}]`))];

/** The parts as the server reads them. */
function parts() {
  const wraps = given("wrap").flatMap((box, axis) => (box.checked ? [axis] : []));
  const flags = Object.fromEntries(FLAGS.map((flag) => [flag, String(builder.elements[flag].checked)]));
  return { shape: given("side").map((side) => side.value).join(","), k: k.value, wrap: wraps.join(","), ...flags };
}

/** Asks what a name or the parts mean, and shows it; only the newest answer counts. */
function show(/** @type {Record<string, string>} */ question, delay = WAIT) {
  const turn = ++asked;
  clearTimeout(waiting);
  waiting = window.setTimeout(async () => {
    ways.hidden = true;
    const game = await trying(message, () => ask(`builder?${new URLSearchParams(question)}`), () => turn === asked);
    if (turn !== asked || !game) return;
    fillBuilder(game, "name" in question);
    ways.hidden = false;
  }, delay);
}

/** Fills in what was not typed, and draws the board. */
function fillBuilder(/** @type {any} */ game, /** @type {boolean} */ byName) {
  find("#parts").disabled = false; // before the first answer they show no board
  find("#board-title").textContent = game.title;
  find("[data-testid=board-facts]").textContent = game.facts;
  example.value = [...example.options].some((one) => one.value === game.name) ? game.name : "";
  if (byName) {
    [dimensions.value, k.value] = [game.shape.length, game.k];
    for (const flag of FLAGS) builder.elements[flag].checked = game.flags[flag];
    makeSides(game.shape, game.wrap);
  } else name.value = game.name;
  for (const [axis, label] of game.sides.entries()) nameSide(axis, label);
  const address = encodeURIComponent(game.name);
  find("[data-testid=play-board]").href = `/?game=${address}&against=strength%3A1`;
  find("[data-testid=train-board]").href = `/train?game=${address}`;
  const board = html("inarow-board", { game: game.name, packages: "/api/package?", controls: "few", side: "both" });
  find("#picture").replaceChildren(board);
}

function makeSides(/** @type {(number | string)[]} */ lengths, /** @type {number[]} */ wrap) {
  sides.replaceChildren(
    ...lengths.map((length, axis) =>
      html(
        "div", { class: "side-field" },
        html("label", {}, html("span"), html("input", { name: "side", type: "number", min: 1, value: length, "data-testid": `side-${axis}` })),
        html("label", { class: "check" }, html("input", { name: "wrap", type: "checkbox", checked: wrap.includes(axis), "data-testid": `wrap-${axis}` }), " wraps"),
      ),
    ),
  );
  for (const axis of lengths.keys()) nameSide(axis, `Side ${axis + 1}`);
}

function nameSide(/** @type {number} */ axis, /** @type {string} */ label) {
  if (!sides.children[axis]) return;
  find("span", sides.children[axis]).textContent = label;
  given("wrap")[axis].setAttribute("aria-label", `${label} wraps`);
}

builder.addEventListener("submit", (/** @type {Event} */ event) => event.preventDefault());
builder.addEventListener("input", ({ target }) => {
  if (target === example) {
    if (!example.value) return name.focus();
    name.value = example.value;
    show({ name: name.value }, 0);
  } else if (target === name) show({ name: name.value });
  else {
    if (target === dimensions) {
      const lengths = given("side").map((side) => side.value);
      const wraps = given("wrap").flatMap((box, axis) => (box.checked ? [axis] : []));
      // More sides are as long as the last; the rest stay.
      makeSides(Array.from({ length: Number(dimensions.value) }, (_, axis) => lengths[axis] ?? lengths.at(-1) ?? 3), wraps);
    }
    show(parts());
  }
});
name.value = new URLSearchParams(location.search).get("game") || FIRST;
find("#names").disabled = false;
show({ name: name.value }, 0);
