// Runs a player's compiled code: modules of WebAssembly and the memory they start with. Messages:
//
//   in:   { id, ask: "open", engine, modules, image, stream? }    a package; the board is empty then
//         { id, ask: "play", move } | "back" | "state" | { ask: "put", stones }
//         { id, ask: "ready" } a new game | "reply" | "values" | { ask: "solve", seconds }
//         { ask: "compute", entry?, given?, write?, read? }    what has no board: learning, a proof
//   out:  { id, state, lines? } | { id, move } | { id, values } | { id, error }   an error is one line
//         { id, result, views }
//
// It imports nothing, so that one file or a notebook can start it from a text. Where workers are
// forbidden a page runs the same engine itself.
/** @import { Argument, Engine, Message } from "./types.js" */

const RESULT = 1 << 16; // where a call writes its result, and beside it an exception's address
const THROWN = RESULT + 64;
const STACK = 2 << 20; // from here downwards
const EIGHT_BITS = 1; // codings of a block: see `image.py`
const LOGARITHMS = 2;
const PLANES_8 = 3;
const PLANES_4 = 4;
const TERMS = 20; // of the series
const CHUNK = 100_000; // nodes of a solver between two looks at the clock
const FIRST_COUNTS = 0xffff; // in a line's word: stones of the first side; above it those of the second
const MASK_64 = (1n << 64n) - 1n;
const VIEWS = { Int8Array, Uint8Array, Int16Array, Int32Array, Uint32Array, BigInt64Array, BigUint64Array, Float64Array };

/** What compiled code asks of the page: products of 128 bits, and functions of mathematics. */
function pageFunctions(/** @type {WebAssembly.Memory} */ memory) {
  return {
    exp: Math.exp,
    log: Math.log,
    pow: Math.pow,
    tanh: Math.tanh,
    expf: (/** @type {number} */ x) => Math.fround(Math.exp(x)),
    numba_ldexp: (/** @type {number} */ x, /** @type {number} */ by) => x * 2 ** by,
    numba_frexp(/** @type {number} */ x, /** @type {number} */ at) {
      let by = x ? Math.max(-1023, Math.floor(Math.log2(x)) + 1) : 0; // x from 0 up, as weights are
      while (x * 2 ** -by >= 1) by++;
      while (x && x * 2 ** -by < 0.5) by--;
      new DataView(memory.buffer).setInt32(at, by, true);
      return x * 2 ** -by;
    },
    __multi3(/** @type {number} */ at, /** @type {bigint[]} */ ...words) {
      const [low, high, otherLow, otherHigh] = words.map((word) => BigInt.asUintN(64, word));
      const product = BigInt.asUintN(128, low * otherLow + ((low * otherHigh + high * otherLow) << 64n));
      const view = new DataView(memory.buffer);
      view.setBigUint64(at, product & MASK_64, true);
      view.setBigUint64(at + 8, product >> 64n, true);
    },
  };
}

/**
 * The bytes of an image: a stream of deflate. They are written into it, as a worker that was started
 * from a text in a file cannot read a Blob in WebKit.
 */
export async function unpack(/** @type {ArrayBuffer} */ image) {
  const stream = new DecompressionStream("deflate-raw");
  const writer = stream.writable.getWriter();
  writer.write(new Uint8Array(image)).catch(() => {}); // what is wrong is told to who reads
  writer.close().catch(() => {});
  return new Response(stream.readable).arrayBuffer();
}

/** Logarithms of 1, 2, 3 ...: each from the one before, put right in the last place. */
function writeLogarithms(/** @type {Float64Array} */ found, /** @type {Int8Array} */ rest) {
  const bits = new BigInt64Array(found.buffer, found.byteOffset, found.length);
  for (let n = 1; n < found.length; n++) {
    const z = 1 / (2 * n + 1);
    let total = 0;
    for (let odd = 2 * TERMS - 1; odd > 0; odd -= 2) total = total * (z * z) + 1 / odd;
    found[n] = found[n - 1] + 2 * z * total;
    if (rest[n - 1]) bits[n] += BigInt(rest[n - 1]);
  }
}

/** Writes the blocks of an image into memory: see `image.py`. */
export function fill(/** @type {WebAssembly.Memory} */ memory, /** @type {ArrayBuffer} */ blocks) {
  const from = new DataView(blocks);
  const bytes = new Uint8Array(memory.buffer);
  for (let at = 0; at < blocks.byteLength; ) {
    const [address, size, coding] = [0, 4, 8].map((part) => from.getUint32(at + part, true));
    at += 12;
    if (coding === EIGHT_BITS) {
      const scale = from.getFloat32(at, true);
      const small = new Int8Array(blocks, at + 4, size - 4);
      const weights = new Float32Array(memory.buffer, address, small.length);
      for (let i = 0; i < small.length; i++) weights[i] = small[i] * scale;
    } else if (coding === LOGARITHMS) {
      writeLogarithms(new Float64Array(memory.buffer, address, size + 1), new Int8Array(blocks, at, size));
    } else if (coding === PLANES_8 || coding === PLANES_4) {
      const [planes, width] = [new Uint8Array(blocks, at, size), coding === PLANES_8 ? 8 : 4];
      for (let byte = 0, i = 0; byte < width; byte++) for (let to = address + byte; to < address + size; to += width) bytes[to] = planes[i++];
    } else bytes.set(new Uint8Array(blocks, at, size), address);
    at += size;
  }
}

/**
 * An argument as compiled code takes it. An array is eight words and more: nothing that counts
 * references, the number of its items, their size, its address, its sides and its strides.
 */
function flatten(/** @type {Argument} */ [kind, ...parts]) {
  if (kind === "n") return [BigInt(parts[0])];
  if (kind !== "a") return [Number(parts[0])];
  const [address, size, ...sides] = parts.map(Number);
  const strides = sides.map((_, axis) => sides.slice(axis + 1).reduce((a, b) => a * b, size));
  const items = sides.reduce((a, b) => a * b, 1);
  return [0, 0, BigInt(items), BigInt(size), address, ...sides.map(BigInt), ...strides.map(BigInt)];
}

/** An engine: a function from messages to answers. It never throws. */
export function makeEngine() {
  /** @type {Engine} */ let engine;
  /** @type {WebAssembly.Memory} */ let memory;
  /** @type {Record<string, Function>} */ let functions;
  /** @type {Record<string, (number | bigint)[]>} */ let flat;
  /** @type {number[][]} */ let lines; // the cells of each
  let base = 0; // stones that were set up: they cannot be taken back

  async function open(/** @type {Message} */ message) {
    if (typeof WebAssembly !== "object") throw new Error("this browser does not run WebAssembly");
    engine = message.engine;
    memory = new WebAssembly.Memory({ initial: engine.pages });
    const env = {
      __linear_memory: memory,
      __stack_pointer: new WebAssembly.Global({ value: "i32", mutable: true }, STACK),
      __indirect_function_table: new WebAssembly.Table({ element: "anyfunc", initial: 64 }),
      ...pageFunctions(memory),
    };
    functions = {};
    for (const [name, { layout }] of Object.entries(engine.modules)) {
      const module = await WebAssembly.compile(message.modules[name]).catch(() => {
        throw new Error(`the module ${name} is damaged`);
      });
      const made = WebAssembly.Module.customSections(module, "inarow").map((part) => new TextDecoder().decode(part));
      if (made[0] !== layout) throw new Error("this file is for another version of its module");
      Object.assign(functions, (await WebAssembly.instantiate(module, { env })).exports);
    }
    try {
      fill(memory, await unpack(message.image));
    } catch {
      throw new Error("the file of this player is damaged");
    }
    flat = Object.fromEntries(Object.entries(engine.arguments).map(([name, given]) => [name, given.flatMap(flatten)]));
    lines = listLines();
    base = 0;
    if (message.stream) view("stream").set(message.stream);
    if (functions.ready) call("ready");
  }

  const view = (/** @type {string} */ name) => {
    const [kind, address, length] = engine.views[name];
    return new VIEWS[kind](memory.buffer, address, length);
  };

  /** Calls a compiled function; `given` are its arguments that no memory holds. */
  function call(/** @type {string} */ name, /** @type {Record<string, number>} */ given = {}) {
    if (!functions[name]) throw new Error(`this player has no ${name}`);
    const names = engine.entries[name].arguments;
    const values = names.flatMap((part) => flat[part] ?? [BigInt(given[part])]);
    if (functions[name](RESULT, THROWN, ...values)) throw new Error(`the code of this player failed in ${name}`);
    return Number(new BigInt64Array(memory.buffer, RESULT, 1)[0]);
  }

  /** The cells of every line, from the board's own tables. */
  function listLines() {
    const [start, at] = [view("lineStart"), view("lineAt")];
    /** @type {number[][]} */ const found = Array.from({ length: view("lines").length }, () => []);
    for (let cell = 0; cell + 1 < start.length; cell++) {
      for (let i = start[cell]; i < start[cell + 1]; i++) found[at[i]].push(cell);
    }
    return found;
  }

  /** The lines that one side holds all of, as [side, cells]. */
  function completed(/** @type {number[]} */ score) {
    if (!score[0] && !score[1]) return [];
    const words = new Uint32Array(memory.buffer, engine.views.lines[1], 2 * lines.length);
    return lines.flatMap((cells, line) => {
      const [first, second] = [words[2 * line] & FIRST_COUNTS, words[2 * line] >>> 16];
      if (first === cells.length) return [[1, cells]];
      return second === cells.length ? [[2, cells]] : [];
    });
  }

  /** The board as the compiled code has it. */
  function state() {
    const [ply, open, , , first, second, end] = [...view("counters")].map(Number);
    return {
      ply, end, score: [first, second], open: [...view("open").subarray(0, open)],
      stones: [...view("stones")], history: [...view("history").subarray(base, ply)], lines: completed([first, second]),
    };
  }

  /** Refuses a move that is not one: compiled code checks nothing. */
  function checked(/** @type {number} */ move) {
    const { open, end } = state();
    const columns = engine.columns;
    if (end || !open.some((cell) => cell % columns === move)) throw new Error(`${move} is not a legal move here`);
    return move;
  }

  /**
   * The exact score of every move for the side to move, as [move, score]: above 0 it wins, and the
   * sooner the higher; below 0 it loses. Moves that are not solved in that time have null.
   */
  function solve(/** @type {number} */ seconds) {
    const end = performance.now() + 1000 * seconds;
    const before = state();
    const best = (before.stones.length - before.ply + 1) >> 1; // what a win at once scores
    return before.open.map((cell) => {
      const move = cell % engine.columns;
      call("play", { move });
      const { end: outcome } = state();
      let score = outcome === 3 ? 0 : outcome === (before.ply % 2) + 1 ? best : -best;
      if (!outcome) score = scoreOfBoard(end);
      call("back");
      return [move, score];
    });
  }

  /** The score of the position on the board for the side that has just moved. */
  function scoreOfBoard(/** @type {number} */ end) {
    call("ask");
    for (let stop = CHUNK; !call("solve", { stop }); stop += CHUNK) if (performance.now() > end) return null;
    return 0 - Number(view("found")[0]);
  }

  /** Writes into memory, calls an entry, and reads: a name, or [name, from, to]. */
  function compute({ entry = "", given = {}, write = {}, read = [] }) {
    for (const [name, values] of Object.entries(write)) view(name).set(values);
    const result = entry ? call(entry, given) : 0;
    const parts = /** @type {any[]} */ (read.map((/** @type {any} */ part) => [part].flat()));
    return { result, views: Object.fromEntries(parts.map(([name, from, to]) => [name, view(name).slice(from, to)])) };
  }

  async function answer(/** @type {Message} */ message) {
    const { ask } = message;
    if (ask === "open") await open(message);
    else if (ask === "play") call("play", { move: checked(message.move) });
    else if (ask === "back") {
      if (state().ply <= base) throw new Error("there is no move to take back");
      call("back");
    } else if (ask === "put") {
      view("input").set(message.stones);
      call("put");
      base = state().ply;
    } else if (ask === "ready") call("ready");
    else if (ask === "compute") return compute(message);
    else if (ask === "reply") {
      if (state().end) throw new Error("the game is over");
      return { move: call("reply") };
    } else if (ask === "values") {
      const count = state().end ? 0 : call("values");
      const [cells, numbers] = [view("valued"), view("numbers")];
      return { values: Array.from({ length: count }, (_, i) => [cells[i] % engine.columns, numbers[i]]) };
    } else if (ask === "solve") {
      if (!functions.solve) throw new Error("no solver comes with this game");
      return { values: state().end ? [] : solve(message.seconds) };
    } else if (ask !== "state") throw new Error(`unknown question ${ask}`);
    return ask === "open" ? { state: state(), lines } : { state: state() };
  }

  return async (/** @type {Message} */ message) => {
    try {
      return { id: message.id, ...(await answer(message)) };
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      return { id: message.id, error: text.split("\n")[0] };
    }
  };
}

if (typeof self === "object" && self.constructor.name.endsWith("WorkerGlobalScope")) {
  const engine = makeEngine();
  let before = Promise.resolve(); // one question after the other
  self.onmessage = ({ data }) => {
    before = before.then(() => engine(data)).then((answered) => self.postMessage(answered));
  };
}
