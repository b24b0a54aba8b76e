// What a table has come to, proved on the whole graph of its game: compiled code looks at every
// position, and the sentences are those of `inarow certify`, which come with the package.

const NEVER = 30_000; // more moves than any game on a graph has: see `graph/certificate.py`
const NO_PAYOFF = [1, 0, 0]; // of wins alone: the chance of a loss against a best response
const PAYOFF = [2, 1, 0];

/** A number with so many digits; a tie goes to the even digit, as Python writes it. */
export function fixed(/** @type {number} */ x, /** @type {number} */ digits) {
  const scaled = x * 10 ** digits;
  const isTie = Number.isInteger(x * 32) && Math.abs(scaled % 1) === 0.5;
  if (!isTie) return x.toFixed(digits);
  return ((2 * Math.round(scaled / 2)) / 10 ** digits).toFixed(digits);
}

const whole = (/** @type {number} */ n) => n.toLocaleString("en");
const fill = (/** @type {string} */ text, /** @type {Record<string, string>} */ names) => text.replace(/{(\w+)}/g, (_, name) => names[name]);

/** Moves as they are written: with no spaces where each is one digit. */
export function writeMoves(description, /** @type {number[]} */ moves) {
  const gap = description.compact && moves.every((move) => description.moves[move].length === 1) ? "" : " ";
  return moves.map((move) => description.moves[move]).join(gap);
}

/** The moves of a shortest game that is lost on a side, the lowest of equal ones. */
function shortestLoss(graph, /** @type {Float64Array} */ policy, /** @type {Int16Array} */ left, /** @type {number} */ side) {
  const moves = [];
  let position = 0;
  while (!graph.state[position]) {
    const isOwn = moves.length % 2 === side;
    for (let edge = graph.edge_start[position]; edge < graph.edge_start[position + 1]; edge++) {
      if (left[graph.child[edge]] === left[position] - 1 && (!isOwn || policy[edge] > 0)) {
        moves.push(graph.move[edge]);
        position = graph.child[edge];
        break;
      }
    }
  }
  return moves;
}

/** Moves that lead to a position, by the first edge to it each time. */
function movesTo(graph, /** @type {number} */ position) {
  const moves = [];
  while (position > 0) {
    const edge = graph.child.indexOf(position);
    moves.unshift(graph.move[edge]);
    let [low, high] = [0, graph.state.length]; // the position that the edge belongs to
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (graph.edge_start[middle] <= edge) low = middle;
      else high = middle;
    }
    position = low;
  }
  return moves;
}

/** What is proved of the table in an engine's memory, line by line, and games that beat it, by side. */
export async function certify(engine, graph, /** @type {Record<string, string>} */ words, description) {
  const compute = async (/** @type {string} */ entry, /** @type {number} */ side, read, write = {}) =>
    (await engine.ask({ ask: "compute", entry, given: { side }, read, write })).views;
  const respond = async (/** @type {number} */ side, /** @type {number[]} */ payoff) => {
    const wanted = Float64Array.from(side ? [...payoff].reverse() : payoff);
    return [...(await compute("respond", side, [["chances", 0, 3]], { payoff: wanted })).chances];
  };
  const { policy } = await compute("weigh", 0, ["policy"]);
  const lines = [words.title];
  const beaten = /** @type {[string, number[]][]} */ ([]);
  let gain = 0;
  for (const side of [0, 1]) {
    const { moves_to_loss: left } = await compute("losses", side, ["moves_to_loss"]);
    const { met, mistaken } = await compute("marks", side, ["met", "mistaken"]);
    const chance = (await respond(1 - side, NO_PAYOFF))[side === 0 ? 2 : 0];
    const [first, , second] = await respond(side, PAYOFF);
    gain += (side ? second - first : first - second) - (side ? -graph.value[0] : graph.value[0]);
    const share = chance >= 0.00005 ? `${fixed(100 * chance, 2)}%` : words.least;
    const name = side ? "second" : "first";
    const moves = left[0] < NEVER ? shortestLoss(graph, policy, left, side) : [];
    if (moves.length) beaten.push([name, moves]);
    const line = writeMoves(description, moves);
    lines.push(`As ${name}: ${line ? fill(words.beaten, { line, share }) : words.unbeatable}`);
    lines.push(...details(graph, words, description, side, met, mistaken));
  }
  const exploited = gain / 2;
  lines.push(fill(words.exploitability, { share: exploited ? fixed(exploited, 4) : "0" }));
  return { lines, beaten };
}

/** How often it gives value away on a side. */
function details(graph, words, description, /** @type {number} */ side, /** @type {Uint8Array} */ met, /** @type {Uint8Array} */ mistaken) {
  const n = { positions: 0, met: 0, mistakes: 0, mistakes_met: 0, won: 0, thrown_away: 0 };
  let first = -1;
  for (let position = 0; position < graph.state.length; position++) {
    if (mistaken[position] && first < 0) first = position;
    n.mistakes += mistaken[position];
    n.mistakes_met += met[position] & mistaken[position];
    if (graph.state[position] || turnOf(graph, position) !== side) continue;
    n.positions++;
    n.met += met[position];
    if (!met[position] || (1 - 2 * side) * graph.value[position] <= 0) continue;
    n.won++;
    n.thrown_away += mistaken[position];
  }
  const said = Object.fromEntries(Object.entries(n).map(([name, number]) => [name, whole(number)]));
  const won = fill(n.thrown_away ? words.throws : words.converts, { ...said, count: said.won });
  const found = [won, fill(words.gives, { ...said, count: said.met })];
  if (n.mistakes) found.push(fill(words.mistake, { line: writeMoves(description, movesTo(graph, first)) || "no move" }));
  return found;
}

/** Whose turn it is in a position: by the stones on the board. */
function turnOf(graph, /** @type {number} */ position) {
  return (countBits(graph.first[position]) + countBits(graph.second[position])) % 2;
}

function countBits(/** @type {bigint} */ word) {
  let number = 0;
  for (; word; word &= word - 1n) number++;
  return number;
}
