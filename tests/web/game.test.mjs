// The scripts without a page: a game in play against an engine of this file. node --test
import assert from "node:assert/strict";
import test from "node:test";

const { Game } = await import(`${process.env.STATIC}/game.js`);
const { nearest } = await import(`${process.env.STATIC}/input.js`);

/** Three cells in a row: whoever plays the last one has won. */
class Row {
  constructor() {
    this.moves = [];
    this.asked = [];
    this.waiting = [];
  }
  get state() {
    const { moves } = this;
    const stones = [0, 1, 2].map((cell) => (moves.includes(cell) ? (moves.indexOf(cell) % 2) + 1 : 0));
    const end = moves.length === 3 ? 1 : 0;
    return { ply: moves.length, end, score: [0, 0], open: [0, 1, 2].filter((c) => !moves.includes(c)), stones, history: [...moves], lines: [] };
  }
  async ask(message) {
    this.asked.push(message.ask);
    if (message.ask === "play") this.moves.push(message.move);
    if (message.ask === "back") this.moves.pop();
    if (message.ask === "reply") return new Promise((resolve, reject) => this.waiting.push({ resolve, reject }));
    return { state: this.state };
  }
  async interrupt() {
    this.moves = [];
    return { state: this.state };
  }
  close() {}
}

const tick = () => new Promise((resolve) => setTimeout(resolve));

test("a reply is played, and ends the person's waiting", async () => {
  const row = new Row();
  const game = new Game(row, row.state, [true, false], () => {});
  game.play(0);
  await tick();
  assert.equal(game.thinking, true);
  assert.equal(game.waits, false);
  await game.play(1); // not now
  assert.deepEqual(game.moves, [0]);
  row.waiting[0].resolve({ move: 2 });
  await tick();
  assert.deepEqual(game.moves, [0, 2]);
  assert.equal(game.waits, true);
  await game.play(1);
  assert.equal(game.end, 1);
  assert.equal(game.waits, false);
});

test("a double click plays once", async () => {
  const row = new Row();
  const game = new Game(row, row.state, [true, true], () => {});
  await Promise.all([game.play(0), game.play(1)]);
  assert.deepEqual(game.moves, [0]);
});

test("a reply that comes after taking back is not played", async () => {
  const row = new Row();
  const game = new Game(row, row.state, [true, false], () => {});
  game.play(0);
  await tick();
  await game.undo();
  row.waiting[0].resolve({ move: 2 });
  await tick();
  assert.deepEqual(game.moves, []);
  assert.equal(game.waits, true);
});

test("taking back goes to the person's own turn, and nowhere if there was none", async () => {
  const row = new Row();
  const game = new Game(row, row.state, [false, true], () => {});
  game.begin();
  await tick();
  row.waiting[0].resolve({ move: 0 });
  await tick();
  assert.equal(game.canUndo, false);
  game.play(1);
  await tick();
  await game.undo();
  assert.deepEqual(game.moves, [0]);
  assert.equal(game.waits, true);
});

test("two people take back one move at a time", async () => {
  const row = new Row();
  const game = new Game(row, row.state, [true, true], () => {});
  await game.play(0);
  await game.play(1);
  await game.undo();
  assert.deepEqual(game.moves, [0]);
});

test("what fails is said, and a new game can begin", async () => {
  const row = new Row();
  const game = new Game(row, row.state, [true, false], () => {});
  game.play(0);
  await tick();
  row.waiting[0].reject(new Error("it fell over"));
  await tick();
  assert.equal(game.problem, "it fell over");
  assert.equal(game.waits, false);
  await game.restart();
  assert.equal(game.problem, "");
  assert.equal(game.waits, true);
});

test("who resigns has lost, whatever the player was computing", async () => {
  const row = new Row();
  const game = new Game(row, row.state, [true, false], () => {});
  game.play(0);
  await tick();
  game.resign();
  assert.equal(game.end, 2);
  row.waiting[0].resolve({ move: 2 });
  await tick();
  assert.deepEqual(game.moves, [0]);
  await game.undo();
  assert.equal(game.end, 0);
});

test("arrows go to the nearest cell ahead, and stay where there is none", () => {
  const cells = [[0, 0], [40, 0], [0, 40], [40, 40]];
  assert.equal(nearest(cells, 0, [1, 0]), 1);
  assert.equal(nearest(cells, 0, [0, 1]), 2);
  assert.equal(nearest(cells, 3, [0, -1]), 1);
  assert.equal(nearest(cells, 3, [1, 0]), 3);
});
