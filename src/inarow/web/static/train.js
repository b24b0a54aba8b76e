// The page Train: the form, the runs, their curves and what they have learned. The server trains,
// tells by events, and writes all words.
import { smooth } from "./curves.js";
import { fillSelect, gameField, makeField, readFields } from "./form.js";
import { ask, enable, find, html, listen, recall, remember, takeAddress, trying, wholeNumber } from "./lab.js";
import { showSaved } from "./resume.js";
import { followLearned, momentsOf, refreshLearned } from "./learned.js";

const COLOURS = ["var(--line-1)", "var(--line-2)", "var(--line-3)", "var(--line-4)", "var(--line-5)", "var(--line-6)", "var(--line-7)"];
const DASHES = ["", "7 4", "2 3"];
const FORM = "inarow-train";
const PART = { score: 1, won: 2, drawn: 3, lost: 4, training: 5 }; // of a point
const FIELDS = { game: "game", learner: "learner", against: "against", trainer: "against", tester: "tester", games: "games", seed: "seed", runs: "runs" };
const LEARNERS = JSON.parse(find("#data").textContent).learners;
/** @type {Map<number, any>} */ const runs = new Map();

const styleOf = (/** @type {number} */ number) => ({
  colour: COLOURS[(number - 1) % COLOURS.length],
  dash: DASHES[Math.floor((number - 1) / COLOURS.length) % DASHES.length],
});
const makeSample = (/** @type {number} */ number) => {
  const sample = html("span", { class: "sample", "aria-hidden": "true" });
  const { colour, dash } = styleOf(number);
  sample.innerHTML = `<svg width="26" height="8"><path class="line" d="M0 4H26" stroke="${colour}" stroke-dasharray="${dash}"/></svg>`;
  return sample;
};

// The form

const form = find("#train");
const { learner, against, tester, games, seed, runs: count } = form.elements;
const message = find("[data-testid=train-message]");
const places = [find("#main-options"), find("#options")];
const game = gameField(form, () => (followGame(), keep()));
const kind = () => LEARNERS[learner.value];

function showOptions(/** @type {Record<string, any>} */ given = {}) {
  find("#rule").textContent = kind().rule;
  if (kind().paper) {
    find("#rule").append(" ", html("a", { href: `/papers?paper=${kind().paper}`, text: "The paper, and what came of it here" }));
  }
  const suits = kind().suits[game.read()] ?? {};
  const made = Object.entries(kind().options).map(([name, option]) => [option.main, makeField(name, option, given[name] ?? suits[name])]);
  for (const [i, place] of places.entries()) place.replaceChildren(...made.filter(([main]) => main === !i).map(([, field]) => field));
}

let [turn, listed] = [0, Promise.resolve()];
/** Lists who can play and test in the game; what was wanted stays if it is possible. */
const showPlayers = (wanted = { against: against.value, tester: tester.value }) => (listed = listPlayers(wanted));

async function listPlayers(/** @type {Record<string, string>} */ wanted) {
  const now = ++turn;
  const question = new URLSearchParams({ game: game.read(), learner: learner.value });
  const found = game.read() && (await trying(message, () => ask(`players-to-train?${question}`), () => now === turn));
  if (now !== turn || !found) return;
  for (const name of ["against", "tester"]) fillSelect(form.elements[name], found[name], wanted[name]);
  sayNames();
}

/** What is chosen by the names that commands and addresses have. */
function sayNames() {
  find("#technical").textContent = `${learner.value} in ${game.read()} against ${against.value}, tested against ${tester.value}`;
}

function followGame() {
  showOptions();
  showPlayers();
}

const keep = () =>
  remember(FORM, { game: game.read(), learner: learner.value, against: against.value, tester: tester.value, games: games.value,
    seed: seed.value, runs: count.value, options: readFields(places, kind().options, false) });

/** Fills the form with what is known, from an address or from the last time; says what means nothing. */
async function fillForm() {
  const asked = takeAddress();
  const isAsked = Object.keys(asked).length > 0;
  const known = isAsked ? { runs: "1", options: /** @type {any} */ ({}) } : { options: {}, ...recall(FORM) };
  for (const [name, value] of Object.entries(asked)) {
    if (name in FIELDS) known[FIELDS[name]] = value;
    else known.options[name] = value;
  }
  const isUnknown = known.learner && !(known.learner in LEARNERS);
  game.set(known.game ?? "tictactoe");
  learner.value = known.learner && !isUnknown ? known.learner : "td";
  for (const field of [games, seed, count]) field.value = known[field.name] ?? field.value;
  showOptions(known.options);
  const wrong = Object.keys(known.options).find((name) => !(name in kind().options));
  await showPlayers({ against: known.against ?? "", tester: known.tester ?? "" });
  if (isUnknown) message.textContent = `there is no learner "${known.learner.slice(0, 40)}" here`;
  else if (wrong && isAsked) message.textContent = `${learner.value} has no option "${wrong.slice(0, 40)}"`;
}

learner.addEventListener("change", () => (showOptions(), showPlayers({ against: "", tester: tester.value })));
form.addEventListener("change", () => (sayNames(), keep()));
form.addEventListener("submit", async (/** @type {Event} */ event) => {
  event.preventDefault();
  const begun = await trying(message, async () => {
    await listed; // who can play in a game that was chosen just now
    return ask("runs", {
      game: game.read(), learner: learner.value, against: against.value, tester: tester.value,
      games: wholeNumber(games.value, "Games"), seed: wholeNumber(seed.value, "First seed"), runs: wholeNumber(count.value, "Runs"),
      options: readFields(places, kind().options),
    });
  });
  if (begun) find("#curves").scrollIntoView({ block: "nearest" }); // on a phone it is below the form
});

// Runs

const BUTTONS = { stop: "Stop", resume: "Resume", more: "Twice the games", play: "Play it", certify: "Certify", save: "Save", download: "Download", remove: "Remove" };

class RunCard {
  constructor(/** @type {number} */ number) {
    this.number = number;
    const part = (/** @type {string} */ tag, /** @type {string} */ mark, attributes = {}) => html(tag, { "data-testid": mark, ...attributes });
    this.state = part("span", "run-state", { class: "badge" });
    this.name = html("p", { class: "quiet" });
    this.technical = html("p");
    const about = html("details", { class: "about" }, html("summary", { "aria-label": `technical names of run ${number}`, text: "i" }), this.technical);
    this.bar = html("progress", { max: 1, value: 0, "aria-label": `share of the games of run ${number}` });
    this.progress = part("p", "run-progress");
    this.outcome = part("p", "run-marks");
    this.message = part("p", "run-message", { role: "status" });
    this.proof = part("div", "run-certificate");
    this.buttons = Object.fromEntries(
      Object.entries(BUTTONS).map(([action, text]) => [action, html("button", { type: "button", text, click: () => this.act(action), "data-testid": text.toLowerCase().replaceAll(" ", "-") })]),
    );
    this.root = html(
      "article", { class: "panel run", "data-testid": `run-${number}`, "aria-label": `run ${number}` },
      html("div", { class: "row" }, makeSample(number), html("h2", { text: `Run ${number}` }), this.state, about),
      this.name, this.bar, this.progress, this.outcome, html("div", { class: "row" }, ...Object.values(this.buttons)), this.message, this.proof,
    );
  }

  show(/** @type {any} */ run) {
    this.run = run;
    this.state.textContent = run.state;
    [this.name.textContent, this.technical.textContent] = [run.title, run.name];
    this.bar.setAttribute("value", String(run.games / run.total));
    this.progress.textContent = run.progress;
    this.outcome.textContent = run.outcome;
    if (run.error) this.say(run.error, true);
    const can = (/** @type {string} */ action) => run.actions.includes(action);
    for (const [action, button] of Object.entries(this.buttons)) {
      button.hidden = !(action === "remove" || can(["play", "download"].includes(action) ? "save" : action));
    }
    const proof = JSON.stringify(run.certificate);
    if (proof !== this.proven) {
      this.proven = proof;
      this.proof.replaceChildren(...(run.certificate ? this.makeProof(run.certificate) : []));
    }
  }

  makeProof(/** @type {any} */ { basis, lines }) {
    return [
      html("p", { text: basis }),
      ...lines.flatMap(({ text, main, svg }) => {
        const words = html("p", { class: main ? "strong" : "", text });
        if (!svg) return [words];
        const picture = html("div", { class: "drawing" });
        picture.innerHTML = svg;
        return [words, picture];
      }),
    ];
  }

  say(/** @type {string} */ text, isBad = false) {
    this.message.textContent = text;
    this.message.classList.toggle("problem", isBad);
  }

  async act(/** @type {string} */ action) {
    if (action === "download") return location.assign(`/api/runs/${this.number}/agent`);
    if (action === "certify") this.say("Looking at every position ...");
    try {
      const { name } = await ask(`runs/${this.number}/${action === "play" ? "save" : action}`, {});
      if (action === "save") this.say(`Saved as ${name}: it can be chosen on the pages Play and Arena.`);
      else this.say("");
      if (action === "play") {
        const side = this.run.side === "first" ? "second" : "first";
        location.assign(`/?${new URLSearchParams({ game: this.run.game, against: name, side })}`);
      }
    } catch (error) {
      this.say(error instanceof Error ? error.message : String(error), true);
    }
  }
}

// Curves

const curves = find("#curves");
/** @type {Map<string, any>} */ const charts = new Map();

const heights = (/** @type {any} */ run, /** @type {string} */ measure) =>
  run.points.filter((/** @type {any[]} */ point) => point[PART[measure]] !== null).map((/** @type {any[]} */ point) => [point[0], point[PART[measure]]]);

function drawCurves() {
  const all = [...runs.values()];
  find("[data-testid=no-runs]").hidden = all.length > 0;
  find("[data-full]").hidden = !all.length;
  const measure = find("[name=measure]:checked", curves).value;
  const weight = Number(find("[name=smoothing]", curves).value);
  const names = [...new Set(all.map((run) => run.game))];
  for (const [name, { root }] of charts) if (!names.includes(name)) (root.remove(), charts.delete(name));
  for (const name of names) {
    if (!charts.has(name)) {
      const chart = html("inarow-curves", { "data-testid": "curves" });
      const title = html("h3", { text: all.find((run) => run.game === name).game_title });
      const root = html("div", {}, title, chart);
      find("#charts").append(root);
      charts.set(name, { root, chart, title });
    }
    const { chart, title } = charts.get(name);
    title.hidden = names.length < 2;
    const here = all.filter((run) => run.game === name && run.points.length);
    const drawn = find("[name=by-seed]", curves).checked ? bySeed(here, measure) : here.map((run) => ({
      name: `${run.number}: ${run.short}, seed ${run.seed}`, points: heights(run, measure), ...styleOf(run.number) }));
    chart.toggleAttribute("log", find("[name=log]", curves).checked);
    chart.setAttribute("title", `${find("[name=measure]:checked", curves).parentElement.textContent.trim()} in ${title.textContent}`);
    chart.cursors = momentsOf(name).map(([number, games]) => ({ name: `Run ${number}`, games, colour: styleOf(number).colour }));
    const most = Math.max(...drawn.flatMap((one) => one.points.map(([, height]) => height)), 1);
    chart.setAttribute("top", ["lost", "training"].includes(measure) ? Math.min(100, Math.ceil(most / 10) * 10) : 100);
    chart.curves = weight ? drawn.flatMap((one) => [{ ...one, pale: true, band: undefined }, { ...one, points: smooth(one.points, weight) }]) : drawn;
  }
}

/** Of runs that differ by their seed alone: the mean, and from the lowest to the highest. */
function bySeed(/** @type {any[]} */ here, /** @type {string} */ measure) {
  return [...new Set(here.map((run) => run.alike))].map((alike) => {
    const group = here.filter((run) => run.alike === alike);
    const each = group.map((run) => new Map(heights(run, measure)));
    const common = [...each[0].keys()].filter((at) => each.every((one) => one.has(at)));
    const known = common.map((at) => [at, each.map((one) => one.get(at))]);
    return {
      name: `${group[0].short}: mean of ${group.length} seed${group.length > 1 ? "s" : ""}`, ...styleOf(group[0].number),
      points: known.map(([at, found]) => [at, found.reduce((/** @type {number} */ a, /** @type {number} */ b) => a + b) / found.length]),
      band: known.map(([at, found]) => [at, Math.min(...found), Math.max(...found)]),
    };
  });
}
curves.addEventListener("input", drawCurves);

// Events

const list = find("#runs");
/** @type {Map<number, RunCard>} */ const cards = new Map();

function take(/** @type {any} */ told) {
  showSaved(told.saved);
  for (const number of [...runs.keys()]) {
    if (told.numbers.includes(number)) continue;
    runs.delete(number);
    cards.get(number)?.root.remove();
    cards.delete(number);
  }
  for (const run of told.runs) {
    const points = [...(runs.get(run.number)?.points ?? []).slice(0, run.from), ...run.points];
    runs.set(run.number, { ...run, points });
    if (!cards.has(run.number)) {
      cards.set(run.number, new RunCard(run.number));
      list.prepend(cards.get(run.number)?.root ?? ""); // the newest on top
    }
    cards.get(run.number)?.show(run);
  }
  drawCurves();
  refreshLearned();
}

fillForm().finally(() => enable(form));
followLearned(runs, makeSample, drawCurves);
listen("runs/events", take);
