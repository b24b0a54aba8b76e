// What is said and computed without a page or an engine. node --test
import assert from "node:assert/strict";
import test from "node:test";

const at = (name) => import(`${process.env.STATIC}/${name}.js`);
const words = await at("words");
const record = await at("record");
const setup = await at("setup");
const advice = await at("advice");
const review = await at("review");

const four = {
  name: "connect4:6x7", title: "Connect Four", columns: 7, gravity: true, compact: true, k: 4, misere: false, scoring: false,
  shape: [6, 7], moves: ["1", "2", "3", "4", "5", "6", "7"],
};
const wide = { ...four, name: "mnk:11x11x5", gravity: false, compact: false, columns: 121, moves: Array.from({ length: 121 }, (_, i) => `${Math.floor(i / 11) + 1},${(i % 11) + 1}`) };

test("one thing is no plural", () => {
  assert.equal(words.count(1, "second"), "1 second");
  assert.equal(words.count(2, "second"), "2 seconds");
  assert.equal(words.count(1234, "move"), "1,234 moves");
});

test("players have names for people", () => {
  assert.equal(words.nameOf("strength:3"), "Level 3");
  assert.equal(words.nameOf("strength:3", [{ player: "strength:3", title: "Medium" }]), "Medium");
  assert.equal(words.nameOf("minimax:6@central"), "Minimax, 6 moves ahead");
  assert.equal(words.nameOf(""), "Another person");
});

test("values in words; an estimate says that it is one", () => {
  assert.equal(words.valueText({ move: 0, value: 1, exact: true, stones: 5 }), "wins in 5");
  assert.equal(words.valueText({ move: 0, value: 0, exact: true }), "draws");
  assert.match(words.valueText({ move: 0, value: -0.4, exact: false }), /^looks worse$/);
  const [soon, late] = [5, 9].map((stones) => ({ move: stones, value: 1, exact: true, stones }));
  const [lost, lostLate] = [2, 8].map((stones) => ({ move: stones, value: -1, exact: true, stones }));
  assert.deepEqual(words.bestOf([late, soon, lost]), [soon]);
  assert.deepEqual(words.bestOf([lost, lostLate]), [lostLate]);
  assert.match(words.adviceText(four, [{ move: 3, value: 0.4, exact: false }, { move: 1, value: 0.1, exact: false }], "somebody"), /estimate by somebody, not a proof/);
  assert.match(words.adviceText(four, [lost, lostLate].map((one) => ({ ...one, move: one.move % 7 })), "somebody"), /^Holds out longest: 2, loses in 8/);
});

test("moves as text, both ways", () => {
  assert.equal(words.movesText(four, [3, 3, 0]), "441");
  assert.deepEqual(words.parseMoves(four, "44 1"), [3, 3, 0]);
  assert.deepEqual(words.parseMoves(wide, "1,1 10,11"), [0, 109]);
  assert.throws(() => words.parseMoves(four, "4 9"), /not a column of this board/);
  assert.throws(() => words.parseMoves(four, "<script>"), /not a column/);
  assert.throws(() => words.parseMoves(four, "4".repeat(30_000)), /too many/);
});

test("records keep the opponent, both ways", () => {
  const setting = { game: "connect4:6x7", player: "strength:3", side: "second", moves: "4453", setUp: 2, resigned: 0 };
  const text = record.recordText(four, setting, [3, 3, 4, 2], 0, new Date("2026-11-19"));
  assert.match(text, /\[First "strength:3"\]\n\[Second "human"\]\n\[Date "2026.11.19"\]/);
  assert.deepEqual(record.parseRecord(text), { ...setting, moves: "4 4 5 3" });
  const given = record.recordText(four, { ...setting, resigned: 1 }, [3], 2);
  assert.equal(record.parseRecord(given).resigned, 1);
  for (const damaged of ["[Game", '[Game "a"]', '[Game "a"]\n[Result "2-0"]', '[Game "a"]\n[Result "*"]\n\n1. 4 1-0', "x".repeat(300_000)]) {
    assert.throws(() => record.parseRecord(damaged), (error) => !error.message.includes("\n"));
  }
});

test("addresses say the same as ever", () => {
  assert.deepEqual(record.settingOf("?game=cube&against=human&side=second&seed=1&moves=11+22&set_up=1"), { game: "cube", player: "", side: "second", moves: "11 22", setUp: 1 });
  const link = record.linkOf({ game: "ntictactoe:3^4", player: "strength:1", side: "first", moves: "1111 2222", setUp: 0 });
  assert.deepEqual(record.settingOf(link), { game: "ntictactoe:3^4", player: "strength:1", moves: "1111 2222" });
  assert.deepEqual(record.settingOf("?set_up=-3&side=third&moves=1"), { moves: "1", setUp: -3, side: "third" }); // which a board refuses
  assert.deepEqual(record.settingOf("?set_up=x&resigned="), { setUp: NaN, resigned: NaN });
});

test("stones that are set up have an order of moves, or a reason why not", () => {
  const stones = Array(42).fill(0);
  for (const [cell, stone] of [[3, 1], [3, 2], [31, 1], [3, 2]]) setup.putStone(four, stones, cell, stone);
  assert.deepEqual([stones[3], stones[10]], [1, 0]); // one was changed and taken off, the other fell
  stones.fill(0);
  for (const [cell, stone] of [[3, 1], [4, 2], [4, 1]]) setup.putStone(four, stones, cell === 4 && stone === 1 ? 11 : cell, stone);
  const order = setup.orderOf(four, stones);
  assert.equal(order.length, 3);
  assert.throws(() => setup.orderOf(four, Object.assign(Array(42).fill(0), [1, 1])), /X has 2 stones and O has 0/);
  const blocked = Object.assign(Array(42).fill(0), { 0: 2, 7: 1 }); // O would have had to begin
  assert.throws(() => setup.orderOf(four, blocked), /no game leads to these stones/);
});

test("a solver's score as an outcome, as in the package", () => {
  for (const [score, left, isMisere, value, stones] of JSON.parse(process.env.SCORES)) {
    assert.deepEqual(advice.fromScore(score, left, isMisere), stones === null ? { value, exact: true } : { value, exact: true, stones });
  }
  assert.deepEqual(advice.fromEstimate(1 - 5 / 2048), { value: 1, exact: true, stones: 5 });
  assert.deepEqual(advice.fromEstimate(-0.3), { value: -0.3, exact: false });
  assert.deepEqual(advice.fromEstimate(0.99, false), { value: 0.99, exact: false });
});

test("the move that lost is the last one that threw the game away", () => {
  const sure = (move, value, stones) => ({ move, value, exact: true, stones });
  const moves = [
    review.judge([sure(0, 0), sure(1, 1, 9)], 0, 1), // a win thrown away
    review.judge([sure(0, 0), sure(1, 0)], 0, 2),
    review.judge([sure(0, 0), sure(1, -1, 4)], 1, 3), // a draw thrown away
    review.judge([sure(0, 1, 3)], 0, 4),
    review.judge([sure(0, -1, 2)], 0, 5), // nothing was left
  ];
  assert.equal(review.findTurningPoint(moves, 1).ply, 3);
  assert.deepEqual([...review.marksOf(moves)], [[1, "??"], [3, "??"]]);
  const { texts } = review.reviewTexts(moves, 2, four, 5);
  assert.match(texts[0], /X lost the game with move 3, 2: it loses in 4/);
  assert.match(texts.at(-1), /All values are exact/);
  assert.match(texts[1], /Better was 1, which draws/);
  const guessed = [review.judge([{ move: 0, value: 0.5, exact: false }, { move: 1, value: -0.2, exact: false }], 1, 1)];
  assert.match(review.reviewTexts(guessed, 2, four, 1).texts.at(-1), /All values are estimates/);
});

test("a review says that a game was lost only where that is certain", () => {
  const sure = (move, value, stones) => ({ move, value, exact: true, stones });
  const guess = (move, value) => ({ move, value, exact: false });
  const seen = [review.judge([guess(0, 0.2), guess(1, 0.1)], 0, 2), review.judge([sure(0, -1, 4), guess(5, -0.31)], 0, 4)];
  const { texts, turn } = review.reviewTexts(seen, 1, four, 4);
  assert.equal(turn.kind, "certain");
  assert.match(texts[0], /^From move 4, 1, on O is certainly lost: it loses in 4/);
  assert.match(texts[1], /^Whether another move held was only estimated/);
  assert.match(texts[2], /O: no mistake found/);
  assert.doesNotMatch(texts.join(" "), /lost the game|Better was/);
  assert.deepEqual([...review.marksOf(seen)], []);
  const all = [seen[0], review.judge([sure(0, -1, 4), sure(1, -1, 2)], 0, 4), review.judge([sure(0, -1, 2)], 0, 6)];
  assert.match(review.reviewTexts(all, 1, four, 6).texts.join(" "), /From move 4.*Every other move loses, too; earlier moves of O are only estimated/);
  const doubtful = [review.judge([guess(0, 0.5), guess(1, -0.2)], 1, 1)];
  const said = review.reviewTexts(doubtful, 2, four, 1);
  assert.match(said.texts[0], /^By the estimates X lost most with move 1, 2: it looks slightly worse/);
  assert.deepEqual([...review.marksOf(doubtful)], [[1, "?"]]);
  const mixed = [review.judge([guess(0, 0.4), sure(1, 0), sure(2, -1, 6)], 2, 2)]; // one move certainly held
  assert.match(review.reviewTexts(mixed, 1, four, 2).texts[1], /^Better was 2, which draws/);
});

test("an image is unpacked where a worker cannot read a Blob", async () => {
  const { deflateRawSync } = await import("node:zlib");
  const { unpack } = await import(`${process.env.STATIC}/worker.js`);
  const bytes = Uint8Array.from({ length: 300_000 }, (_, i) => (i * i) % 251);
  const packed = new Uint8Array(deflateRawSync(bytes));
  const { stream } = Blob.prototype;
  Blob.prototype.stream = () => { throw new Error("no Blob can be read here"); };
  try {
    assert.deepEqual(new Uint8Array(await unpack(packed.buffer)), bytes);
    await assert.rejects(unpack(packed.slice(0, 100).buffer));
    await assert.rejects(unpack(new Uint8Array(50).fill(255).buffer));
  } finally {
    Blob.prototype.stream = stream;
  }
});

test("names for people are those that Python gives", () => {
  for (const [player, name] of JSON.parse(process.env.NAMES)) assert.equal(words.nameOf(player), name);
});

test("names for people", () => {
  for (const [player, name] of [
    ["strength:3", "Level 3"], ["level:2", "Level 2"], ["perfect", "Perfect play"], ["best.safetensors", "Your agent best"],
    ["perfect.safetensors", "Your agent perfect"], ["level.safetensors", "Your agent level"], ["level", "Level"],
    ["random_games", "Random games"], ["mcts:1000", "Tree search, 1,000 games a move"], ["mcts:0.5s", "Tree search"], ["ntuple:4", "Learned agent, 4 moves ahead"], ["minimax:6@central", "Minimax, 6 moves ahead"], ["", "Another person"],
  ]) assert.equal(words.nameOf(player), name);
});
