// A board of slices. Every cell is a button: it can be tabbed to, arrow keys go from cell to cell,
// Enter and a click play. What the cells show comes from cells.py; Vue only changes what differs,
// so the focus stays and a stone falls once. The board is as large as the window lets it be.
// Digits go to the cell of a move, as it is written; Enter then plays. On boards of many dimensions
// the lines through the cell under the pointer light up, but for those that hold stones of both.
import { h } from "vue";

const LABEL = 16; // pixels of a row's or a column's label, and of a slice's heading
const MOST = 104; // pixels of a cell
const LEAST = 24; // a cell that is smaller is hard to hit: rather let the page scroll

const TYPING = 1500; // milliseconds between two digits of one move

const SYMBOLS = ["", "X", "O"];
const MARKS = {
  X: () => h("path", { class: "mark", d: "M12.5 12.5L27.5 27.5M27.5 12.5L12.5 27.5" }),
  O: () => h("circle", { class: "mark", cx: 20, cy: 20, r: 8.5 }),
};

// Every line of k cells through a cell, as lists of cells; what `game/lines.py` says, for one cell.
export function linesThrough(cell, { shape, k, wrap }) {
  const place = [];
  for (let axis = shape.length - 1, rest = cell; axis >= 0; axis--) {
    place[axis] = rest % shape[axis];
    rest = Math.floor(rest / shape[axis]);
  }
  const number = (at) => at.reduce((sum, part, axis) => sum * shape[axis] + part, 0);
  let directions = [[]];
  for (const [axis, side] of shape.entries()) {
    const moves = side >= k || (wrap.includes(axis) && side > 1);
    directions = directions.flatMap((before) => (moves ? [0, 1, -1] : [0]).map((d) => [...before, d]));
  }
  const lines = [];
  for (const direction of directions) {
    if (direction.find((d) => d) !== 1) continue; // each from one end alone
    for (let before = 0; before < k; before++) {
      const line = [];
      for (let step = -before; step < k - before; step++) {
        const at = place.map((part, axis) => part + step * direction[axis]);
        const inside = at.every((part, axis) => wrap.includes(axis) || (part >= 0 && part < shape[axis]));
        if (!inside) break;
        line.push(number(at.map((part, axis) => (part + k * shape[axis]) % shape[axis])));
      }
      if (new Set(line).size === k) lines.push(line);
    }
  }
  return lines;
}

export default {
  props: {
    layout: Object, cells: Array, discs: Boolean, turn: Number, label: String,
    lines: Object, lights: Boolean, digits: Number,
  },
  emits: ["play"],
  data() {
    return { focused: null, hovered: null, pointed: null, room: [320, 480] };
  },
  mounted() {
    this.watch = new ResizeObserver(() => this.measure());
    this.watch.observe(this.$el);
    window.addEventListener("resize", this.measure);
    window.addEventListener("keydown", this.type);
    this.typed = { text: "", at: 0 };
    this.measure();
  },
  beforeUnmount() {
    this.watch.disconnect();
    window.removeEventListener("resize", this.measure);
    window.removeEventListener("keydown", this.type);
  },
  computed: {
    // The one cell that the Tab key reaches: where the focus was, else the first that can be played.
    entry() {
      if (this.focused !== null && this.focused < this.cells.length) return this.focused;
      return Math.max(0, this.cells.findIndex((cell) => cell.move !== undefined));
    },
    // The cells of the lines through the one under the pointer.
    lit() {
      if (!this.lights || this.pointed === null || this.pointed >= this.cells.length) return new Set();
      const open = linesThrough(this.pointed, this.lines).filter(
        (line) => new Set(line.map((cell) => this.cells[cell].stone).filter(Boolean)).size < 2,
      );
      return new Set(open.flat());
    },
  },
  methods: {
    // The room for the board: the card's width, and of the window what the words around it leave.
    // On a low window they scroll away, and only the bar with the status stays.
    measure() {
      const high = window.innerHeight;
      const width = this.$el.clientWidth || 320;
      this.room = [width - 8, Math.max(200, high - (high < 640 ? 120 : 270))];
    },
    // Width and height of a part, each as [cells, pixels beside them].
    size(part) {
      const { rowLabels, columnLabels, falls } = this.layout;
      if (part.rows) {
        const frame = falls ? 6 : 0;
        return [
          [columnLabels.length, (rowLabels.length ? LABEL : 0) + frame],
          [part.rows.length, LABEL + frame + (part.heading ? LABEL : 0)],
        ];
      }
      return this.together(part, part.across ? part.parts.length : 1);
    },
    // The same for the parts of a group, so many of them side by side.
    together(part, columns) {
      const inner = this.size(part.parts[0]);
      const rows = Math.ceil(part.parts.length / columns);
      return [columns, rows].map((count, axis) => [
        count * inner[axis][0],
        count * inner[axis][1] + (count - 1) * this.gap(part),
      ]);
    },
    gap(part) {
      return 4 + 8 * Math.ceil(this.depth(part) / 2);
    },
    // The largest cells, and into how many columns the outermost slices go for them.
    fit() {
      const { tree } = this.layout;
      const most = tree.across ? tree.parts.length : 1;
      let best = { fits: -Infinity, cell: 0, columns: 1 };
      for (let columns = most; columns >= 1; columns--) {
        const size = tree.across ? this.together(tree, columns) : this.size(tree);
        const [wide, high] = size.map(([cells, beside], axis) => (this.room[axis] - beside) / cells);
        const fits = Math.min(wide, high);
        const cell = Math.floor(Math.min(MOST, wide, Math.max(high, LEAST)));
        if (fits > best.fits) best = { fits, cell, columns };
      }
      return { cell: Math.max(16, best.cell), columns: best.columns };
    },
    stone(symbol, classes, style) {
      const disc = this.discs ? [h("circle", { class: "disc", cx: 20, cy: 20, r: 16.5 })] : [];
      return h(
        "svg",
        { viewBox: "0 0 40 40", class: ["stone", symbol, classes], style, "aria-hidden": "true" },
        [...disc, MARKS[symbol]()],
      );
    },
    content(cell, row) {
      const parts = [];
      if (cell.stone) {
        const falls = cell.fresh && this.layout.falls;
        const style = falls ? { "--rows": row + 1 } : {};
        const classes = [falls ? "falls" : cell.fresh ? "appears" : "", { answer: cell.fresh === 2 }];
        parts.push(this.stone(SYMBOLS[cell.stone], classes, style));
      } else if (cell.text) {
        parts.push(h("span", { class: "text" }, cell.text));
      } else if (this.turn && cell.move !== undefined && cell.move === this.hovered && this.landsHere(cell)) {
        parts.push(this.stone(SYMBOLS[this.turn], "ghost", {}));
      }
      if (cell.best) parts.push(h("span", { class: "star", "aria-hidden": "true" }, "★"));
      return parts;
    },
    landsHere(cell) {
      return cell.lands || !this.layout.falls;
    },
    describe(cell) {
      const words = [cell.name, cell.stone ? SYMBOLS[cell.stone] : "empty"];
      if (cell.last) words.push("last move");
      if (cell.line || cell.scored) words.push("in a line");
      // What is seen is also said: who steers by voice names what stands in the cell.
      if (cell.value) words.push(cell.value === cell.text ? cell.value : `${cell.text}: ${cell.value}`);
      if (cell.best) words.push("hint");
      if (cell.next) words.push("played next");
      return words.join(", ");
    },
    button(number, row) {
      const cell = this.cells[number];
      const open = cell.move !== undefined;
      const lit = this.lit.has(number);
      const marks = ["last", "line", "scored", "best", "lands", "next"].filter((mark) => cell[mark]);
      return h(
        "button",
        {
          key: number,
          type: "button",
          class: ["cell", ...marks, { open, falling: this.layout.falls, lit, pointed: lit && number === this.pointed }],
          style: cell.heat ? { "--heat": cell.heat } : {},
          tabindex: number === this.entry ? 0 : -1,
          "data-testid": `cell-${number}`,
          "data-stone": cell.stone ? SYMBOLS[cell.stone] : "",
          "aria-label": this.describe(cell),
          "aria-disabled": open ? "false" : "true",
          // A double click, or Enter held down, is one move.
          onClick: (event) => open && event.detail < 2 && this.$emit("play", cell.move),
          onKeydown: (event) => this.step(event),
          onFocus: () => (this.focused = this.pointed = number),
          onBlur: () => (this.pointed = null),
          onMouseenter: () => {
            this.hovered = open ? cell.move : null;
            this.pointed = number;
          },
          onMouseleave: () => (this.hovered = this.pointed = null),
        },
        this.content(cell, row),
      );
    },
    slice(part) {
      const { rowLabels, columnLabels, falls } = this.layout;
      const label = (text) => h("span", { class: "label", "aria-hidden": "true" }, text);
      const corner = rowLabels.length ? [label("")] : [];
      const names = [...corner, ...columnLabels.map(label)];
      const rows = part.rows.flatMap((cells, row) => [
        ...(rowLabels.length ? [label(rowLabels[row])] : []),
        ...cells.map((cell) => this.button(cell, row)),
      ]);
      const side = rowLabels.length ? `${LABEL}px ` : "";
      const columns = `${side}repeat(${columnLabels.length}, var(--cell))`;
      const grid = { class: ["grid", { wall: falls }], style: { gridTemplateColumns: columns } };
      const heading = part.heading ? [h("div", { class: "heading" }, part.heading)] : [];
      return h("div", { class: "slice", role: "group", "aria-label": part.heading || this.label }, [
        ...heading,
        h("div", grid, falls ? [...rows, ...names] : [...names, ...rows]),
      ]);
    },
    depth(part) {
      return part.rows ? 0 : 1 + this.depth(part.parts[0]);
    },
    // Slices of a pair of dimensions stand closer together than what is made of them.
    group(part, columns) {
      if (part.rows) return this.slice(part);
      const kind = part.across ? "across" : "down";
      const inner = part.parts.map((smaller) => this.group(smaller, 0));
      const across = columns && part.across ? { gridTemplateColumns: `repeat(${columns}, auto)` } : {};
      return h("div", { class: kind, style: { "--gap": `${this.gap(part)}px`, ...across } }, inner);
    },
    // Digits that write a move, one after the other, put the focus where its stone would lie.
    type(event) {
      const here = event.target === document.body || this.$el.contains(event.target);
      if (!here || !this.digits || event.ctrlKey || event.metaKey || event.altKey) return;
      if (!/^[1-9]$/.test(event.key) || event.repeat) return;
      const late = event.timeStamp - this.typed.at > TYPING || this.typed.text.length >= this.digits;
      this.typed = { text: (late ? "" : this.typed.text) + event.key, at: event.timeStamp };
      const meant = (cell) => cell.move !== undefined && cell.name.split(" ")[0] === this.typed.text;
      let cell = this.cells.findIndex((cell) => meant(cell) && cell.lands);
      if (cell < 0) cell = this.cells.findIndex((cell) => meant(cell) && !cell.stone);
      if (cell >= 0) this.$el.querySelector(`[data-testid=cell-${cell}]`).focus();
    },
    // To the nearest cell in the direction of an arrow key, also from slice to slice.
    step(event) {
      if (event.key === "Enter" && event.repeat) event.preventDefault();
      const way = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };
      if (!(event.key in way)) return;
      event.preventDefault();
      const [across, down] = way[event.key];
      const middle = (box) => [box.left + box.width / 2, box.top + box.height / 2];
      const [x, y] = middle(event.currentTarget.getBoundingClientRect());
      let nearest = null;
      let least = Infinity;
      for (const button of this.$el.querySelectorAll("button.cell")) {
        const [left, top] = middle(button.getBoundingClientRect());
        const ahead = (left - x) * across + (top - y) * down;
        const aside = Math.abs((left - x) * down) + Math.abs((top - y) * across);
        if (ahead > 2 && ahead + 4 * aside < least) {
          least = ahead + 4 * aside;
          nearest = button;
        }
      }
      if (nearest) nearest.focus();
    },
  },
  render() {
    const { cell, columns } = this.fit();
    const style = { "--cell": `${cell}px` };
    return h("div", { class: "board-room" }, [
      h(
        "div",
        { class: ["board", { discs: this.discs }], style, "data-testid": "board", role: "group", "aria-label": this.label },
        [this.group(this.layout.tree, columns)],
      ),
    ]);
  },
};
