// The shapes of what modules hand to each other, for editors and `tsc --checkJs`. Nothing runs here.

/**
 * @typedef {[string, ...(string | number)[]]} Argument see `Image.arguments`
 * @typedef {{ module: string, arguments: string[] }} Entry
 * @typedef {object} Engine what a worker needs to know of a package
 * @property {number} pages of memory
 * @property {number} columns different moves
 * @property {Record<string, { layout: string }>} modules
 * @property {Record<string, string>} versions digests of the files, by name
 * @property {Record<string, Argument[]>} arguments
 * @property {Record<string, Entry>} entries
 * @property {Record<string, [string, number, number]>} views type, address, length
 *
 * @typedef {object} Description a game as it is drawn: see `describe.py`
 * @property {string} name
 * @property {string} title
 * @property {string} rules
 * @property {number[]} shape
 * @property {number} k
 * @property {boolean} gravity
 * @property {boolean} scoring
 * @property {boolean} misere
 * @property {number[]} wrap
 * @property {number} columns
 * @property {"falls" | "pegs" | "flat"} style
 * @property {[number, number]} size
 * @property {[number, number]} across
 * @property {[number, number]} down
 * @property {number} radius
 * @property {[number, number][]} cells
 * @property {string} backdrop
 * @property {string} labels
 * @property {string[]} moves
 * @property {boolean} compact
 * @property {null | Pick<Description, "size" | "across" | "down" | "cells" | "backdrop" | "labels">} layers
 *
 * @typedef {{ name: string, title: string }} Player
 * @typedef {{ format: number, game: Description, player: Player | null, engine: Engine }} Package
 *
 * @typedef {object} State the board as compiled code has it
 * @property {number} ply stones on the board
 * @property {number} end 0 goes on, 1 the first side has won, 2 the second, 3 a draw
 * @property {[number, number]} score lines of both sides
 * @property {number[]} open cells that can be played
 * @property {number[]} stones of each cell: 0, 1 or 2
 * @property {number[]} history the cells played, in order
 * @property {[number, number[]][]} lines completed ones: side, cells
 *
 * @typedef {object} MoveValue what a move is worth to the side that plays it
 * @property {number} move
 * @property {number} value 1 a win, 0 a draw, -1 a loss; between these an estimate
 * @property {boolean} exact whether it is certain
 * @property {number} [stones] until the end, this one included
 *
 * @typedef {any} Message a question to an engine: see `worker.js`
 * @typedef {any} Answer
 */

export {};
