// Where a board finds its packages, and the index of games and opponents, by its attributes.
import { Source } from "./engine.js";

const NOT_HERE = 404; // nothing lies there
const SERVER_ONLY = 409; // the player exists, and only the server can run it
const LONGEST_PROBLEM = 120; // characters

/** The name of a package's folder: as `package.folder_of` in Python. */
export function folderOf(/** @type {string} */ game, /** @type {string} */ player) {
  return `${game}/${player || "two"}`.replace(/[^A-Za-z0-9_./]/g, "-");
}

export class Library {
  constructor(/** @type {HTMLElement} */ element) {
    this.element = element;
  }

  getAttribute(/** @type {string} */ name) {
    return this.element.getAttribute(name);
  }

  /** The address of the package of a player. */
  addressOf(/** @type {string} */ game, /** @type {string} */ player) {
    const packages = this.getAttribute("packages") ?? "packages";
    return packages.endsWith("?") ? `${packages}${new URLSearchParams({ game, player })}` : `${packages}/${folderOf(game, player)}`;
  }

  /**
   * The package of a player; where no page can run it, the rules alone, and the server's address.
   * @returns {Promise<[Source, string]>}
   */
  async sourceOf(wish) {
    const own = this.getAttribute("src");
    if (own) return [await Source.from(own), ""];
    const server = this.getAttribute("server") ?? "";
    try {
      return [await Source.from(this.addressOf(wish.game, wish.player)), ""];
    } catch (error) {
      if (server && error.status === SERVER_ONLY) return [await Source.from(this.addressOf(wish.game, "")), server];
      throw this.#explained(error, wish);
    }
  }

  /** What could not be found, by its name, in one short line. */
  #explained(error, { game, player }) {
    if (error.status !== NOT_HERE || this.getAttribute("server")) {
      const [first] = error.message.split(/[:;.] /);
      return error.message.length > LONGEST_PROBLEM ? new Error(first.slice(0, LONGEST_PROBLEM)) : error;
    }
    const isKnown = (this.index ?? []).some((one) => one.name === game);
    if (!isKnown) return new Error(`there is no board “${game.slice(0, 60)}” here`);
    return new Error(`nobody here plays ${game} as “${(player || "two people").slice(0, 60)}”`);
  }

  /** The games that can be chosen, with their opponents. */
  async readIndex() {
    const address = this.getAttribute("games");
    if (!address || this.index) return this.index ?? [];
    try {
      const text = address.startsWith("#") ? document.getElementById(address.slice(1)).textContent : await (await fetch(address)).text();
      const found = JSON.parse(text);
      this.index = Array.isArray(found) ? found : []; // a server that is not ready answers with an error
    } catch {
      this.index = []; // the board works without it
    }
    return this.index;
  }

  opponentsOf(index, /** @type {string} */ game) {
    const known = index.find((one) => one.name === game);
    return known?.opponents ?? (index[0]?.opponents ?? []).filter(({ player }) => player.startsWith("strength:"));
  }
}
