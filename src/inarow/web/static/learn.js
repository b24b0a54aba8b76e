// <inarow-learn src="FOLDER">: a table of values learns a small game while one looks.
//
//   src     the folder of a package of `lessons.learning_package`
//   seed    from 0 to 99: what the run leaves to chance, as in `inarow train`
//   larger  the folder of a package of a larger game, and more what a button for it says
//
// The learner's own compiled loop plays in a worker, from a game a second to as fast as it goes.
// What is inside the element stays until it can run, and if it cannot.
import { certify, fixed } from "./certify.js";
import "./curves.js";
import { html, makeButton } from "./dom.js";
import { Drawing, make } from "./drawing.js";
import { openEngine, Source } from "./engine.js";
import { Input } from "./input.js";
import { Place } from "./places.js";
import { makeSteps } from "./steps.js";
import { count } from "./words.js";

const GAMES = 0; // of `counts`: games, won, drawn, lost
const FASTEST = 100; // of the slider; below it, games a second grow by equal factors
const SLOWEST_RATE = 1;
const FASTEST_RATE = 100_000;
const BUSY = 40; // milliseconds of learning between two looks, at full speed
const MANY = 1_000_000; // games in one go, at most
const SEEDS = 100;
// What is drawn of the games: a name, a colour, a dash.
const RESULTS = [["won", "var(--first)", ""], ["drawn", "var(--quiet)", "2 3"], ["lost", "var(--second)", "7 4"]];

export class LearnElement extends HTMLElement {
  async connectedCallback() {
    this.lost = false;
    try {
      await this.open();
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      if (!this.lost) this.append(html("p", { class: "problem", role: "alert" }, `Nothing can be learned here: ${why}.`));
    }
  }

  disconnectedCallback() {
    this.lost = true;
    this.running = false;
    this.engine?.close();
  }

  async open() {
    const source = await Source.from(this.getAttribute("src") ?? "learn");
    this.about = /** @type {any} */ (source.description).learning;
    this.description = source.description.game;
    this.engine = (await openEngine(source)).engine;
    const names = ["state", "edge_start", "child", "move", "first", "second", "value"];
    const { views } = await this.engine.ask({ ask: "compute", read: [...names, "seeds"] });
    if (this.lost) return this.engine.close();
    this.graph = views;
    this.place = new Place(views, this.description.columns, this.description.cells.length);
    this.lookFrom();
    this.build();
    await this.restart();
    this.dataset.ready = "true";
  }

  build() {
    const { about } = this;
    this.drawing = new Drawing(this.description);
    this.marks = make("g", { class: "learned", "aria-hidden": "true" });
    this.drawing.root.append(this.marks);
    const [wide, high] = this.description.size;
    const room = html("div", { class: "room", style: `--wide:${wide};--high:${high}` }, this.drawing.root);
    this.status = html("p", { class: "status", role: "status" });
    this.look = html("p", { class: "look" });
    this.speed = /** @type {HTMLInputElement} */ (html("input", { type: "range", min: 0, max: FASTEST, value: 0, oninput: () => this.sayRate() }));
    this.rate = html("output", {});
    this.seed = /** @type {HTMLInputElement} */ (
      html("input", { type: "number", min: 0, max: SEEDS - 1, value: this.getAttribute("seed") ?? 0, onchange: () => this.restart() })
    );
    this.buttons = {
      run: makeButton("Learn", () => this.toggle(), { class: "strong" }),
      back: makeButton("Look from the start", () => this.lookFrom()),
      again: makeButton("Start anew", () => this.restart()),
      certify: makeButton("Certify", () => this.certify()),
    };
    const whose = about.against ? "" : ", as the first player";
    this.curve = /** @type {import("./curves.js").CurvesElement} */ (html("inarow-curves", { log: true, title: `Percent of the last games${whose}` }));
    this.legend = html("p", { class: "legend" }, `Percent of the last games${whose}, over the games so far.`);
    this.proof = html("div", { class: "certificate", role: "status" });
    this.commands = html("pre", { tabindex: 0, "aria-label": "the same at the command line" });
    this.replaceChildren(
      html("p", { class: "about" }, `${about.about} ${about.against ? `It plays against ${about.against}.` : "It plays against itself."}`),
      this.status, room, this.look,
      html("div", { class: "controls" }, html("label", {}, "Speed ", this.speed, this.rate), html("label", {}, "Seed ", this.seed)),
      html("div", { class: "buttons" }, ...Object.values(this.buttons), ...this.makeLarger()),
      this.curve, this.legend, this.proof, html("p", {}, "The same at the command line, to the last bit:"), this.commands,
    );
    this.input = new Input([this.drawing], {
      landing: (/** @type {number} */ cell) => this.place.open.find((open) => open % this.description.columns === cell % this.description.columns),
      side: () => this.place.toMove,
      press: (/** @type {number} */ cell) => this.lookAfter(cell),
      hint: () => {},
    }, []);
    this.sayRate();
  }

  /** A button that goes to a larger game, where there is one. */
  makeLarger() {
    const folder = this.getAttribute("larger");
    if (!folder) return [];
    const go = () => {
      this.disconnectedCallback();
      this.setAttribute("src", folder);
      this.removeAttribute("larger");
      this.connectedCallback();
    };
    return [makeButton(this.getAttribute("more") ?? "A larger game", go)];
  }

  /** Games a second by the slider; none: as fast as it goes. */
  get wanted() {
    const share = Number(this.speed.value) / FASTEST;
    return share < 1 ? SLOWEST_RATE * (FASTEST_RATE / SLOWEST_RATE) ** share : 0;
  }

  sayRate() {
    const wanted = this.wanted;
    this.rate.textContent = wanted ? `${count(Math.round(wanted), "game")} a second` : "as fast as it goes";
  }

  /** A new run: the memory as it was, with the streams of the seed. What is pressed meanwhile waits for it. */
  restart() {
    return (this.begun = this.begin());
  }

  async begin() {
    this.pause();
    await this.engine.interrupt();
    const seed = Math.min(SEEDS - 1, Math.max(0, Math.floor(Number(this.seed.value)) || 0));
    this.seed.value = String(seed);
    const words = 4 * this.about.streams.length;
    const streams = this.graph.seeds.subarray(seed * words, (seed + 1) * words);
    const write = Object.fromEntries(this.about.streams.map((name, i) => [name, streams.slice(4 * i, 4 * i + 4)]));
    await this.engine.ask({ ask: "compute", write });
    this.counts = [0, 0, 0, 0];
    this.points = /** @type {number[][]} */ ([]);
    this.chunk = 1;
    this.proof.replaceChildren();
    await this.show();
  }

  toggle() {
    if (this.running) this.pause();
    else this.run();
  }

  pause() {
    this.running = false;
    if (this.buttons) this.buttons.run.textContent = "Learn";
  }

  get isOver() {
    return this.about.limit && this.counts[GAMES] >= this.about.limit;
  }

  async run() {
    this.running = true;
    this.buttons.run.textContent = "Pause";
    this.proof.replaceChildren();
    const turn = (this.turn = {});
    await this.begun;
    let owed = 1;
    let before = performance.now();
    while (this.running && this.turn === turn && !this.isOver) {
      await new Promise((resolve) => setTimeout(resolve, document.hidden ? 250 : 16));
      if (!this.running || this.turn !== turn) return;
      const now = performance.now();
      owed = this.wanted ? Math.min(owed + (this.wanted * (now - before)) / 1000, 2 * this.wanted) : this.chunk;
      before = now;
      if (owed >= 1) {
        const games = Math.floor(Math.min(owed, this.chunk, this.about.limit ? this.about.limit - this.counts[GAMES] : MANY));
        await this.learn(games);
        owed -= games;
      }
    }
    this.pause();
  }

  /** Plays so many games, and looks at what they have changed. */
  async learn(/** @type {number} */ games) {
    const start = performance.now();
    await this.engine.ask({ ask: "compute", entry: "learn", given: { games } });
    const took = performance.now() - start;
    if (games >= this.chunk && took < BUSY) this.chunk = Math.min(MANY, 2 * this.chunk);
    if (took > 2 * BUSY) this.chunk = Math.max(1, Math.floor(this.chunk / 2));
    await this.show();
  }

  /** Shows the values of the position looked at, the results so far and the curve. */
  async show() {
    const { place } = this;
    const read = ["counts", ["moves", ...place.edges], ["policy", ...place.edges]];
    const { views } = await this.engine.ask({ ask: "compute", entry: "weigh", read });
    this.counts = [...views.counts].map(Number);
    this.drawing.show(place.state);
    const values = [...views.moves];
    const [low, high] = [Math.min(...values), Math.max(...values)];
    this.marks.replaceChildren(...place.open.flatMap((cell, i) => this.mark(cell, values[i], high > low ? (values[i] - low) / (high - low) : 0, views.policy[i] > 0)));
    const [, won, drawn, lost] = this.counts.map((n) => n.toLocaleString("en"));
    this.status.textContent = `${count(this.counts[GAMES], "game")}: ${won} won, ${drawn} drawn, ${lost} lost.`;
    const at = place.moves.map((move) => this.description.moves[move]).join(" ");
    this.look.textContent = values.length
      ? `${at ? `After ${at}` : "The empty board"}: what each move is worth to ${place.toMove === 1 ? "X" : "O"}. Click a cell to look further.`
      : `After ${at}: the game is over.`;
    this.draw();
    this.sayCommands();
  }

  mark(/** @type {number} */ cell, /** @type {number} */ value, /** @type {number} */ share, /** @type {boolean} */ chosen) {
    const [x, y] = this.description.cells[cell];
    const tint = make("path", { class: "worth", d: this.drawing.outline, transform: `translate(${x} ${y})`, opacity: (0.1 + 0.5 * share).toFixed(2) });
    const text = make("text", { class: chosen ? "chosen" : "", x, y: y + 4 }, fixed(value, 2));
    return [tint, text];
  }

  /** The results of the games since the last point, once enough of them were played. */
  draw() {
    const last = this.points.at(-1) ?? [0, 0, 0, 0];
    const games = this.counts[GAMES] - last[GAMES];
    const isNew = games >= Math.max(10, 0.08 * last[GAMES]);
    if (isNew) this.points.push([...this.counts]);
    if (!isNew && this.points.length) return;
    this.curve.curves = RESULTS.map(([name, colour, dash], i) => {
      const points = this.points.map((point, at) => {
        const before = this.points[at - 1] ?? [0, 0, 0, 0];
        return [point[GAMES], (100 * (point[i + 1] - before[i + 1])) / (point[GAMES] - before[GAMES])];
      });
      return { name, colour, dash, points: /** @type {[number, number][]} */ (points) };
    });
  }

  sayCommands() {
    const file = "agent.safetensors";
    const { train } = this.about;
    this.commands.textContent = `${train} --games ${this.counts[GAMES]} --seed ${this.seed.value} --out ${file}\ninarow certify ${file}`;
  }

  lookAfter(/** @type {number} */ cell) {
    this.place.play(cell);
    if (!this.running) this.show();
  }

  /** The empty board; for a table that plays second, what follows the first move. */
  lookFrom() {
    this.place.restart();
    if (this.about.side === "second") this.place.play(this.place.open[0]);
    if (this.drawing && !this.running) this.show();
  }

  async certify() {
    this.pause();
    await this.begun;
    const { lines, beaten } = await certify(this.engine, this.graph, this.about.words, this.description);
    const steps = beaten.map(([side, moves]) => makeButton(`Step through the game that beats it as ${side}`, () => this.stepThrough(side, moves)));
    this.steps = html("div", {});
    this.proof.replaceChildren(...lines.map((line) => html("p", {}, line)), html("div", { class: "buttons" }, ...steps), this.steps);
  }

  /** A game that beats the table, move by move on the board. */
  stepThrough(/** @type {string} */ side, /** @type {number[]} */ moves) {
    this.pause();
    const { columns, cells, moves: names } = this.description;
    const walk = new Place(this.graph, columns, cells.length);
    const from = walk.state;
    const states = moves.map((move) => {
      walk.play(move);
      return walk.state;
    });
    const show = (/** @type {any} */ state) => {
      this.marks.replaceChildren();
      this.drawing.show(state);
    };
    const close = () => {
      this.steps.replaceChildren();
      this.show();
    };
    this.steps.replaceChildren(makeSteps(`It plays ${side}, and is beaten`, from, { moves, states }, names, show, close));
  }
}

if (!customElements.get("inarow-learn")) customElements.define("inarow-learn", LearnElement);
