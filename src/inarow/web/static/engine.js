// Engines: who plays the rules and answers for the player. All have `open`, `ask`, `interrupt` and
// `close`, so the board does not know where its player is: in a worker, on the page, on a server.
/** @import { Answer, Message, Package } from "./types.js" */

const STARTING = 10_000; // milliseconds that a worker may take to answer for the first time

/** What an engine opens: a package with its files. */
export class Source {
  constructor(/** @type {Package} */ description, /** @type {Record<string, ArrayBuffer>} */ modules, /** @type {ArrayBuffer} */ image) {
    this.description = description;
    this.modules = modules;
    this.image = image;
    this.isFixed = false; // whether what a player leaves to chance is the same each time
  }

  /**
   * The package in a folder; in a page's own element where the address begins with `#`; behind an
   * address with a question mark, which gives each file by its name.
   */
  static async from(/** @type {string} */ folder) {
    if (folder.startsWith("#")) return Source.within(folder.slice(1));
    const base = folder.includes("?") ? `${folder}&file=` : folder.endsWith("/") ? folder : `${folder}/`;
    const mark = folder.includes("?") ? "&v=" : "?";
    const description = await read(`${base}package.json`, (answer) => answer.json());
    const { versions } = description.engine;
    const names = Object.keys(description.engine.modules);
    const files = ["image.bin", ...names.map((name) => `${name}.wasm`)];
    const [image, ...modules] = await Promise.all(
      files.map((name) => read(`${base}${name}${mark}${versions[name]}`, (answer) => answer.arrayBuffer())),
    );
    return new Source(description, Object.fromEntries(names.map((name, i) => [name, modules[i]])), image);
  }

  /** The package that a page holds as JSON, with its files in base64, the modules packed. */
  static async within(/** @type {string} */ id) {
    const text = document.getElementById(id)?.textContent;
    if (!text) throw new Error(`${id} is not in this page`);
    try {
      const found = JSON.parse(text);
      const bytes = (/** @type {string} */ part) => Uint8Array.from(atob(part), (letter) => letter.charCodeAt(0)).buffer;
      const modules = Object.entries(found.modules).map(async ([name, part]) => [name, await inflate(bytes(part))]);
      return new Source(found.package, Object.fromEntries(await Promise.all(modules)), bytes(found.image));
    } catch {
      throw new Error(`${id} is damaged`);
    }
  }

  /** The message that opens it; what the player leaves to chance is new each time, unless fixed. */
  message() {
    const { description, modules, image, isFixed } = this;
    const message = { ask: "open", engine: description.engine, modules, image };
    const hasPlayer = "stream" in description.engine.arguments;
    return isFixed || !hasPlayer ? message : { ...message, stream: crypto.getRandomValues(new BigUint64Array(4)) };
  }
}

async function inflate(/** @type {ArrayBuffer} */ packed) {
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).arrayBuffer();
}

async function read(/** @type {string} */ address, /** @type {(answer: Response) => Promise<any>} */ take) {
  const name = (/[&?]file=([^&]*)/.exec(address)?.[1] ?? address.replace(/.*\//, "")).replace(/\?.*/, "");
  // Files are asked for by their versions; only what names these may have changed under its name.
  const answer = await fetch(address, { cache: name.endsWith(".json") ? "no-cache" : "default" }).catch(() => null);
  if (!answer?.ok) {
    const said = answer && (await answer.json().catch(() => null))?.error;
    throw Object.assign(new Error(said ?? `${name} cannot be loaded`), { status: answer?.status });
  }
  return take(answer).catch(() => {
    throw new Error(`${name} is damaged`);
  });
}

/** The compiled code in a worker of its own, so that the page goes on while it computes. */
export class WorkerEngine {
  #waiting = new Map();
  #next = 0;

  constructor(/** @type {URL | string} */ script) {
    this.script = script;
  }

  async open(/** @type {Source} */ source) {
    this.source = source;
    this.worker = new Worker(this.script, { type: "module" });
    this.worker.onmessage = ({ data }) => {
      this.#waiting.get(data.id)?.(data);
      this.#waiting.delete(data.id);
    };
    const failed = new Promise((_, reject) => {
      this.worker.onerror = () => reject(new Forbidden());
      setTimeout(() => reject(new Forbidden()), STARTING);
    });
    failed.catch(() => {});
    return Promise.race([this.ask(source.message()), failed]);
  }

  async ask(/** @type {Message} */ message) {
    const id = this.#next++;
    const answered = new Promise((resolve) => this.#waiting.set(id, resolve));
    this.worker.postMessage({ id, ...message });
    return checked(await answered);
  }

  /** Stops what it computes: nothing else stops compiled code. The board is empty then. */
  async interrupt() {
    this.close();
    return this.open(this.source);
  }

  close() {
    this.worker?.terminate();
    this.#waiting.clear();
  }
}

/** A worker is not allowed here, or does not start. */
class Forbidden extends Error {}

/** The same code on the page itself, where workers are forbidden: the page waits for each reply. */
export class PageEngine {
  constructor(/** @type {URL | string} */ script) {
    this.script = script;
  }

  async open(/** @type {Source} */ source) {
    this.source = source;
    const makeEngine = globalThis.inarowMakeEngine ?? (await import(String(this.script))).makeEngine;
    this.engine = makeEngine();
    return this.ask(source.message());
  }

  async ask(/** @type {Message} */ message) {
    await new Promise((resolve) => setTimeout(resolve)); // what was said before is shown first
    return checked(await this.engine({ id: 0, ...message }));
  }

  async interrupt() {
    return this.open(this.source);
  }

  close() {}
}

/** Rules in the page, and a player that only a server can ask: one request for each move. */
export class ServerEngine {
  constructor(/** @type {WorkerEngine | PageEngine} */ rules, /** @type {string} */ address, /** @type {string} */ player) {
    this.rules = rules;
    this.address = address;
    this.player = player;
    this.asked = new AbortController();
  }

  async open(/** @type {Source} */ source) {
    this.game = source.description.game;
    return this.rules.open(source);
  }

  async ask(/** @type {Message} */ message) {
    if (message.ask === "ready") return {};
    if (message.ask !== "reply") return this.rules.ask(message);
    const { state } = await this.rules.ask({ ask: "state" });
    const moves = state.history.map((/** @type {number} */ cell) => this.game.moves[cell % this.game.columns]);
    const answer = await fetch(`${this.address}/move`, {
      method: "POST",
      signal: this.asked.signal,
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ game: this.game.name, moves: moves.join(" "), player: this.player }),
    }).catch(() => null);
    if (!answer) throw new Error("the server does not answer");
    const found = await answer.json().catch(() => ({}));
    if (!answer.ok) throw new Error(found.error ?? "the server cannot answer");
    return { move: this.game.moves.indexOf(found.move) };
  }

  async interrupt() {
    this.asked.abort();
    this.asked = new AbortController();
    return this.rules.interrupt();
  }

  close() {
    this.asked.abort();
    this.rules.close();
  }
}

function checked(/** @type {Answer} */ answer) {
  if (answer.error) throw new Error(answer.error);
  return answer;
}

/** The address of the worker: of a text in the page, where it comes in one file, else beside this one. */
function workerScript() {
  const text = globalThis.document?.getElementById("inarow-worker")?.textContent;
  return text ? URL.createObjectURL(new Blob([text], { type: "text/javascript" })) : new URL("./worker.js", import.meta.url);
}

/**
 * Opens a package: in a worker, on the page if `onPage` or where workers are forbidden, with its
 * player on a server if there is an address of one.
 */
export async function openEngine(/** @type {Source} */ source, { onPage = false, server = "", player = "" } = {}) {
  const script = workerScript();
  const withServer = (/** @type {WorkerEngine | PageEngine} */ rules) => (server ? new ServerEngine(rules, server, player) : rules);
  if (!onPage) {
    const engine = withServer(new WorkerEngine(script));
    try {
      return { engine, ...(await engine.open(source)) };
    } catch (error) {
      engine.close();
      if (!(error instanceof Forbidden || error instanceof DOMException)) throw error;
    }
  }
  const engine = withServer(new PageEngine(script));
  return { engine, ...(await engine.open(source)) };
}
