// On the application's start page: other opponents by name, and agents from files of one's own.
// Nothing is loaded for it before it is opened. It is about the game that the board shows.
const shownBoard = /** @type {any} */ (document.querySelector("inarow-board"));
const others = document.querySelector(".others");
const details = document.createElement("details");
details.className = "lab more";
details.dataset.testid = "other-opponents";
details.append(Object.assign(document.createElement("summary"), { textContent: "Other opponents, saved agents, agents from files" }));
details.addEventListener("toggle", showOwnAgents, { once: true });
others?.prepend(details);

async function showOwnAgents() {
  document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href: "/static/lab.css" }));
  const { ask, html, trying } = await import("./lab.js");
  const { fillSelect } = await import("./form.js");
  const message = html("p", { class: "problem", role: "status", "data-testid": "message" });
  const known = await ask("catalogue").catch(() => []);
  const now = shownBoard?.setting.game || "connect4:6x7";
  const game = html("input", { name: "game", value: now, spellcheck: "false", list: "games", "data-testid": "other-game" });
  const games = html("datalist", { id: "games" }, ...known.map((/** @type {any} */ one) => html("option", { value: one.name, text: one.title })));
  const against = html("select", { name: "against", "data-testid": "other-player" });
  const typed = html("input", { placeholder: "minimax:4, attack@random", spellcheck: "false", "data-testid": "opponent-text" });
  const side = html("select", { name: "side" }, new Option("You begin", "first"), new Option("They begin", "second"));
  const button = html("button", { text: "Play", "data-testid": "start" });
  const file = html("input", { type: "file", accept: ".safetensors", "data-testid": "upload" });

  /** Who else can play the game: the visitor's own agents first. */
  let turn = 0;
  const list = async (wanted = against.value) => {
    const now = ++turn;
    button.disabled = true; // until it is known against whom
    const found = await trying(message, () => ask(`opponents?game=${encodeURIComponent(game.value)}`), () => now === turn);
    if (now !== turn) return;
    const offered = (found?.opponents ?? []).map(({ player, title, about }) => [player, `${title}: ${about}`]);
    fillSelect(against, [...offered, ["", "another player, by its name"]], wanted || offered[0]?.[0]);
    typed.parentElement.hidden = against.value !== "";
    button.disabled = false;
  };
  const form = html(
    "form", { action: "/", class: "card-form" },
    html("label", {}, "Game ", game), html("label", {}, "Against ", against), html("label", { hidden: true }, "Name of the player ", typed),
    html("label", {}, "Side ", side), button,
    html("label", { class: "file" }, "Or load an agent from a file ", file), message, games,
  );
  form.addEventListener("submit", (/** @type {Event} */ event) => {
    event.preventDefault();
    const player = against.value || typed.value.trim();
    if (!player) return typed.focus(); // nobody is named: that would be two people
    const asked = { game: game.value.trim(), player, side: side.value, moves: "", setUp: 0, resigned: 0 };
    shownBoard.panel.replace(() => (scrollTo({ top: 0 }), shownBoard.begin(asked)));
  });
  shownBoard.addEventListener("inarow-setting", ({ detail }) => {
    if (!detail.isNew || detail.game === game.value) return;
    game.value = detail.game;
    list("");
  });
  game.addEventListener("change", () => list());
  against.addEventListener("change", () => (typed.parentElement.hidden = against.value !== ""));
  file.addEventListener("change", async () => {
    const [chosen] = file.files;
    if (!chosen) return;
    const loaded = await trying(message, () => ask(`uploads?name=${encodeURIComponent(chosen.name)}`, chosen));
    file.value = "";
    if (!loaded) return;
    game.value = loaded.game;
    await list(loaded.name);
    message.textContent = `${loaded.name} plays ${loaded.game}. Press Play to play it.`;
  });
  details.append(form);
  await list();
}
