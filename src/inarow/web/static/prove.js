// A stored strategy, checked move by move against every defence: what `inarow book check` does. The
// symmetries first, then all images of the stored positions in order, then the replies to each move.

const PIECE = 60; // positions at a time
const IMAGES = 0.15; // the share of the work until they are in order

/** The sentence of a finished proof, or an error in one line; `tell` hears of the share done. */
export async function prove(engine, about, /** @type {(share: number, counts: number[]) => unknown} */ tell) {
  const compute = (/** @type {string} */ entry, start = 0, end = 0) =>
    engine.ask({ ask: "compute", entry, given: { start, end }, read: ["counts", "found"] });
  const { positions, words } = about;
  if (!(await compute("symmetries")).result) throw new Error("its symmetries do not keep the lines");
  for (let start = 0; start < positions; start += 20 * PIECE) {
    await compute("images", start, Math.min(positions, start + 20 * PIECE));
    await tell((IMAGES / 2) * (start / positions), []);
  }
  await compute("sort");
  let counts = /** @type {number[]} */ ([]);
  for (let start = 0; start < positions; start += PIECE) {
    const { result, views } = await compute("check", start, Math.min(positions, start + PIECE));
    counts = [...views.counts].map(Number);
    if (!result) throw new Error(`the stored move of position ${views.found[0] + 1n} is not shown to win`);
    await tell(IMAGES + (1 - IMAGES) * (Math.min(positions, start + PIECE) / positions), counts);
  }
  const numbers = [positions, ...counts].map((n) => n.toLocaleString("en"));
  return words.map((/** @type {string} */ text) => text.replace(/{(\d)}/g, (_, at) => numbers[at]));
}
