// <inarow-curves>: lines over games of training, as SVG. Its property `curves` is a list of
// { name, colour, dash, points: [[games, percent], ...], pale, band: [[games, low, high], ...] };
// its property `cursors` one of { name, games, colour }, of runs that are looked back at;
// attributes: `log` a logarithmic axis, `title` what is drawn, `top` the highest percent (100).
// Pointing, or the arrow keys, read the values.
const SVG_NAMES = "http://www.w3.org/2000/svg";
const [LEFT, RIGHT, TOP, BOTTOM] = [46, 14, 12, 44];

/** @typedef {[number, number][]} Points */
/** @typedef {{ name: string, colour: string, dash?: string, points: Points, pale?: boolean, band?: [number, number, number][] }} Curve */
/** @typedef {{ name: string, games: number, colour: string }} Cursor */

function shape(/** @type {string} */ tag, /** @type {Record<string, any>} */ attributes = {}, ...children) {
  const node = document.createElementNS(SVG_NAMES, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

/** About so many round numbers between two others. */
export function ticks(/** @type {number} */ low, /** @type {number} */ high, count = 5) {
  const rough = (high - low) / count || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((times) => times * power).find((size) => size >= rough) ?? 10 * power;
  const found = [];
  for (let at = Math.ceil(low / step) * step; at <= high + step / 1e6; at += step) found.push(at);
  return found;
}

/**
 * An exponential moving average over the points, its start corrected for those that are not there
 * yet: of what came before, each point counts `weight` times as much as the next.
 */
export function smooth(/** @type {Points} */ points, /** @type {number} */ weight) {
  let [total, share] = [0, 0];
  return /** @type {Points} */ (
    points.map(([games, height]) => {
      [total, share] = [weight * total + (1 - weight) * height, weight * share + 1 - weight];
      return [games, total / share];
    })
  );
}

/** A number of games in few characters: 20k, 1.5M. */
export function shortNumber(/** @type {number} */ value) {
  for (const [size, unit] of /** @type {[number, string][]} */ ([[1e9, "G"], [1e6, "M"], [1e3, "k"]])) {
    if (value >= size) return `${Number((value / size).toPrecision(3))}${unit}`;
  }
  return String(Number(value.toPrecision(3)));
}

export class CurvesElement extends HTMLElement {
  static observedAttributes = ["log", "title", "top"];
  /** @type {Curve[]} */ #curves = [];
  /** @type {Cursor[]} */ #cursors = [];
  #at = -1; // which of the numbers of games is read

  connectedCallback() {
    this.resizes = new ResizeObserver(() => this.draw());
    this.resizes.observe(this);
    this.addEventListener("pointermove", ({ clientX }) => this.readNear(clientX - this.getBoundingClientRect().left));
    this.addEventListener("pointerleave", () => this.read(-1));
    this.addEventListener("keydown", (event) => this.step(event));
  }

  disconnectedCallback() {
    this.resizes?.disconnect();
  }

  attributeChangedCallback() {
    if (this.isConnected) this.draw();
  }

  /** @param {Curve[]} given */
  set curves(given) {
    this.#curves = given;
    this.draw();
  }

  get curves() {
    return this.#curves;
  }

  /** @param {Cursor[]} given */
  set cursors(given) {
    this.#cursors = given;
  }

  /** The numbers of games at which something is known, ascending. */
  get moments() {
    const all = this.#curves.filter((one) => !one.pale).flatMap((one) => one.points.map(([games]) => games));
    return [...new Set(all)].filter((games) => !this.hasAttribute("log") || games > 0).sort((a, b) => a - b);
  }

  scales() {
    const [wide, high] = [this.clientWidth || 600, 320];
    const most = Math.max(10, ...this.#curves.flatMap((one) => one.points.map(([games]) => games)));
    const top = Number(this.getAttribute("top") ?? 100);
    const isLog = this.hasAttribute("log");
    const share = (/** @type {number} */ games) => (isLog ? Math.log10(Math.max(1, games)) / Math.log10(most) : games / most);
    return {
      wide, high, most, top, isLog,
      x: (/** @type {number} */ games) => LEFT + share(games) * (wide - LEFT - RIGHT),
      y: (/** @type {number} */ percent) => TOP + (1 - percent / top) * (high - TOP - BOTTOM),
    };
  }

  draw() {
    const { wide, high, most, top, isLog, x, y } = this.scales();
    const text = (/** @type {string} */ content, /** @type {object} */ attributes) => shape("text", attributes, content);
    const powers = Array.from({ length: Math.floor(Math.log10(most)) + 1 }, (_, power) => 10 ** power);
    const across = isLog ? powers : ticks(0, most, wide > 500 ? 6 : 4);
    const place = (/** @type {Points} */ points) =>
      points.filter(([games]) => !isLog || games > 0).map(([games, percent]) => `${x(games).toFixed(1)} ${y(percent).toFixed(1)}`);
    const grid = ticks(0, top).flatMap((percent) => [
      shape("path", { class: "grid", d: `M${LEFT} ${y(percent)}H${wide - RIGHT}` }),
      text(`${Number(percent.toFixed(2))}`, { x: LEFT - 6, y: y(percent) + 4, "text-anchor": "end" }),
    ]);
    const bands = this.#curves.filter((one) => one.band?.length).map((one) => {
      const band = one.band ?? [];
      const edge = [...band.map(([games, low]) => [games, low]), ...band.map(([games, , up]) => [games, up]).reverse()];
      return shape("path", { class: "band", fill: one.colour, d: `M${place(/** @type {Points} */ (edge)).join("L")}Z` });
    });
    const lines = this.#curves.map((one) =>
      shape("path", { class: one.pale ? "line pale" : "line", stroke: one.colour, "stroke-dasharray": one.dash ?? "", d: `M${place(one.points).join("L") || "0 0"}` }),
    );
    const drawing = shape(
      "svg", { viewBox: `0 0 ${wide} ${high}`, height: high, role: "img", tabindex: 0, "aria-label": this.summary },
      ...grid, ...across.map((games) => text(shortNumber(games), { x: x(games), y: high - 24, "text-anchor": "middle" })),
      text("games of training", { x: (LEFT + wide) / 2, y: high - 6, "text-anchor": "middle" }),
      ...bands, ...lines, ...this.#cursors.flatMap((one) => this.makeCursor(one)), shape("g", { class: "marks" }),
    );
    const legend = document.createElement("ul");
    legend.append(...this.#curves.filter((one) => !one.pale).map((one) => this.makeEntry(one)));
    const hadFocus = this.contains(document.activeElement);
    this.replaceChildren(drawing, legend);
    if (hadFocus) drawing.focus({ preventScroll: true });
    this.read(this.#at);
  }

  /** A line across the curves where a run is looked back at. */
  makeCursor(/** @type {Cursor} */ { name, games, colour }) {
    const { x, high, wide } = this.scales();
    const at = x(games);
    const isLeft = at > wide / 2;
    const words = `${name}: ${games.toLocaleString("en")} games`;
    return [
      shape("path", { class: "cursor", stroke: colour, d: `M${at.toFixed(1)} ${TOP}V${high - BOTTOM}` }),
      shape("text", { class: "cursor", x: isLeft ? at - 5 : at + 5, y: high - BOTTOM - 6, "text-anchor": isLeft ? "end" : "start" }, words),
    ];
  }

  makeEntry(/** @type {Curve} */ curve) {
    const entry = document.createElement("li");
    entry.append(
      shape("svg", { width: 26, height: 8, "aria-hidden": "true" }, shape("path", { d: "M0 4H26", stroke: curve.colour, class: "line", "stroke-dasharray": curve.dash ?? "" })),
      curve.name, Object.assign(document.createElement("output"), { className: "value" }),
    );
    return entry;
  }

  get summary() {
    const last = this.#curves.filter((one) => !one.pale).map((one) => `${one.name} ${one.points.at(-1)?.[1].toFixed(1) ?? "no"} percent`);
    const back = this.#cursors.map(({ name, games }) => ` ${name} is looked back at after ${games.toLocaleString("en")} games.`);
    return `${this.getAttribute("title") ?? "Curves"} over games of training. At the end: ${last.join("; ")}.${back.join("")} Arrow keys read values.`;
  }

  readNear(/** @type {number} */ left) {
    const { x } = this.scales();
    const { moments } = this;
    const away = (/** @type {number} */ i) => Math.abs(x(moments[i]) - left);
    this.read(moments.reduce((best, _, i) => (best < 0 || away(i) < away(best) ? i : best), -1));
  }

  step(/** @type {KeyboardEvent} */ event) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by) return;
    event.preventDefault();
    this.read(Math.min(this.moments.length - 1, Math.max(0, this.#at + by)));
  }

  /** Shows the values after a number of games, by its place among the moments; none for -1. */
  read(/** @type {number} */ at) {
    const { moments } = this;
    this.#at = Math.min(at, moments.length - 1);
    const games = moments[this.#at];
    const { x, y, high } = this.scales();
    const marks = this.querySelector(".marks");
    const values = [...this.querySelectorAll(".value")];
    marks?.replaceChildren(...(games === undefined ? [] : [shape("path", { class: "grid", d: `M${x(games)} ${TOP}V${high - BOTTOM}` })]));
    for (const [i, curve] of this.#curves.filter((one) => !one.pale).entries()) {
      const found = games === undefined ? undefined : curve.points.filter(([there]) => there <= games).at(-1);
      if (values[i]) values[i].textContent = found ? `${found[1].toFixed(1)} % after ${found[0].toLocaleString("en")}` : "";
      if (found) marks?.append(shape("circle", { cx: x(found[0]), cy: y(found[1]), r: 4, fill: curve.colour }));
    }
  }
}

customElements.define("inarow-curves", CurvesElement);
