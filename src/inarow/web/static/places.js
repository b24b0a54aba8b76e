// A walk on the graph of a small game, whose arrays come from a package.

/** Where a game of a graph stands: its number, and the moves that led there. */
export class Place {
  constructor(/** @type {Record<string, any>} */ graph, /** @type {number} */ columns, /** @type {number} */ cells) {
    this.graph = graph;
    this.columns = columns;
    this.cells = cells;
    this.restart();
  }

  get edges() {
    const { edge_start: start } = this.graph;
    return [start[this.position], start[this.position + 1]];
  }

  get open() {
    const { stones } = this;
    return this.listMoves().map((move) => {
      let cell = move;
      while (stones[cell]) cell += this.columns;
      return cell;
    });
  }

  listMoves() {
    return [...this.graph.move.subarray(...this.edges)];
  }

  get stones() {
    const has = (/** @type {string} */ side, /** @type {number} */ cell) => (this.graph[side][this.position] >> BigInt(cell)) & 1n;
    return Array.from({ length: this.cells }, (_, cell) => (has("first", cell) ? 1 : has("second", cell) ? 2 : 0));
  }

  get toMove() {
    return (this.moves.length % 2) + 1;
  }

  play(/** @type {number} */ cell) {
    const move = cell % this.columns;
    const at = this.listMoves().indexOf(move);
    if (at < 0) return;
    this.moves.push(move);
    this.history.push(cell);
    this.position = this.graph.child[this.edges[0] + at];
  }

  restart() {
    this.moves = /** @type {number[]} */ ([]);
    this.history = /** @type {number[]} */ ([]);
    this.position = 0;
  }

  /** As a drawing shows it. */
  get state() {
    const { stones, open, history } = this;
    return { ply: history.length, end: this.graph.state[this.position], score: [0, 0], open, stones, history: [...history], lines: [] };
  }
}
