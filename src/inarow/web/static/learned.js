// The page Train: what the runs have learned, now and at earlier moments.
import { fillSelect } from "./form.js";
import { ask, find, html } from "./lab.js";
import { describeGame, Picture, Replay } from "./picture.js";

const learned = find("#learned");
const chosenGame = find("[name=learned-game]");
const typed = find("[name=moves]");
/** @type {Map<number, LearnedView>} */ const views = new Map();
/** @type {Map<number, any>} */ let runs = new Map();
/** @type {(number: number) => HTMLElement} */ let makeSample;
/** @type {() => void} */ let moved; // a slider, to another moment

class LearnedView {
  constructor(/** @type {any} */ run, /** @type {any} */ description) {
    this.number = run.number;
    this.picture = new Picture(description);
    const words = (/** @type {string} */ mark) => html("p", { "data-testid": `learning-${mark}` });
    this.title = html("h3");
    [this.verdict, this.variation, this.mistake] = ["verdict", "variation", "mistake"].map(words);
    this.go = html("button", { type: "button", text: "Show the mistake", hidden: true, "data-testid": "show-mistake", click: () => this.goToMistake() });
    this.slider = html("input", { type: "range", min: 0, max: 0, value: 0, "aria-label": `moment of run ${run.number}`, input: () => (this.refresh(), moved()), "data-testid": "moment" });
    this.steps = html("input", { type: "range", min: 0, value: 0, "aria-label": `move of the game of run ${run.number}`, input: () => this.replay?.show(Number(this.steps.value)) });
    this.sample = html("div", { hidden: true }, html("p", { class: "quiet" }), html("div"), this.steps);
    this.root = html("div", { class: "learned", "data-testid": `learning-${run.number}` },
      html("div", { class: "row" }, makeSample(run.number), this.title), this.picture.root, this.slider, this.verdict, this.variation, this.mistake, this.go, this.sample);
    this.shown = "";
    this.problem = /** @type {string | undefined} */ (undefined);
  }

  get isNow() {
    return this.slider.value === this.slider.max;
  }

  /** What is asked of the server: a moment of the run, and a position. */
  get question() {
    return `runs/${this.number}/${this.isNow ? "learned" : `looks/${this.slider.value}`}?moves=${encodeURIComponent(typed.value)}`;
  }

  /** Follows the run, unless somebody looks back. */
  follow(/** @type {any} */ run) {
    const wasNow = this.isNow;
    this.slider.max = String(run.looks.length);
    this.slider.hidden = !run.looks.length;
    if (wasNow) this.slider.value = this.slider.max;
    return this.refresh();
  }

  /** Shows what is asked for; a question that comes while another one is answered is asked after it. */
  async refresh() {
    const wanted = () => `${this.isNow ? runs.get(this.number)?.games : ""} ${this.question}`;
    if (wanted() === this.shown) return;
    this.isBehind = this.busy;
    if (this.busy) return;
    this.busy = true;
    const [asked, { question }] = [wanted(), this];
    const run = runs.get(this.number);
    const seen = await ask(question).catch((error) => ({ problem: error instanceof Error ? error.message : String(error) }));
    this.busy = false;
    if (question === this.question && runs.has(this.number)) {
      this.shown = asked;
      this.problem = seen.problem;
      if (!seen.problem) this.showMoment(run, seen);
      find("[data-testid=learning-message]").textContent = [...views.values()].find((view) => view.problem)?.problem ?? "";
    } else this.isBehind = true;
    if (this.isBehind && runs.has(this.number)) this.refresh();
  }

  showMoment(/** @type {any} */ run, /** @type {any} */ seen) {
    find("[data-testid=learning-title]").textContent = seen.title;
    this.title.textContent = `Run ${run.number}: ${seen.games.toLocaleString("en")} games`;
    this.picture.show({ ...seen, about: seen.title });
    [this.verdict.textContent, this.variation.textContent, this.mistake.textContent] = [seen.verdict ?? "", seen.variation ?? "", seen.mistake ?? ""];
    this.mistakeMoves = seen.mistake_moves;
    this.go.hidden = !seen.mistake_moves || seen.mistake_moves === typed.value;
    this.sample.hidden = !seen.game;
    if (!seen.game) return;
    const board = new Picture(this.picture.description);
    this.replay = new Replay(board, seen.game);
    this.sample.children[0].textContent = `${seen.end} ${seen.game.notation}`;
    this.sample.children[1].replaceChildren(board.root);
    [this.steps.max, this.steps.value] = [String(this.replay.length), String(this.replay.length)];
    this.replay.show(this.replay.length);
  }

  goToMistake() {
    typed.value = this.mistakeMoves;
    refreshLearned();
  }
}

export async function refreshLearned() {
  const shown = [...runs.values()].filter((run) => run.shown);
  const names = [...new Set(shown.map((run) => run.game))];
  const before = [...chosenGame.options].map((one) => one.value);
  if (names.join() !== before.join()) {
    const fresh = names.find((name) => !before.includes(name)); // the game of a new run is shown
    fillSelect(chosenGame, names.map((name) => [name, shown.find((run) => run.game === name).game_title]), fresh ?? chosenGame.value);
  }
  learned.hidden = !names.length;
  chosenGame.closest("label").hidden = names.length < 2;
  const here = shown.filter((run) => run.game === chosenGame.value && run.games > 0);
  for (const [number, view] of views) if (!here.some((run) => run.number === number)) (view.root.remove(), views.delete(number));
  for (const run of here) {
    if (!views.has(run.number)) {
      const description = await describeGame(run.game);
      if (!runs.has(run.number) || views.has(run.number)) continue;
      const view = new LearnedView(run, description);
      const later = Math.min(...[...views.keys()].filter((number) => number > run.number)); // it may have begun before
      find("#boards").insertBefore(view.root, views.get(later)?.root ?? null);
      views.set(run.number, view);
    }
    if (!document.hidden) views.get(run.number)?.follow(run);
  }
}

/** The runs of a game that are looked back at: their numbers, and after how many games. */
export function momentsOf(/** @type {string} */ game) {
  const back = [...views.values()].filter((view) => !view.isNow && runs.get(view.number)?.game === game);
  return back.map((view) => [view.number, runs.get(view.number).looks[Number(view.slider.value)]]);
}

/** Shows what the runs of the page learn, as they go on; `told` hears of every moment looked back at. */
export function followLearned(/** @type {Map<number, any>} */ known, /** @type {(number: number) => HTMLElement} */ sampleOf, /** @type {() => void} */ told) {
  [runs, makeSample, moved] = [known, sampleOf, told];
  chosenGame.addEventListener("change", () => ((typed.value = ""), refreshLearned()));
  typed.addEventListener("input", refreshLearned);
  setInterval(() => [...runs.values()].some((run) => run.active) && refreshLearned(), 1000);
}
