// <inarow-proof src="FOLDER">: a stored strategy, verified in the visitor's own browser on a click.
//
//   src    the folder of a package of `lessons.proof_package`
//
// What is inside the element stays where there is no JavaScript.
import { html, makeButton } from "./dom.js";
import { openEngine, Source } from "./engine.js";
import { prove } from "./prove.js";

export class ProofElement extends HTMLElement {
  connectedCallback() {
    this.button = makeButton("Check it here", () => this.check(), { class: "strong" });
    this.bar = /** @type {HTMLProgressElement} */ (html("progress", { max: 1, value: 0, "aria-label": "share of the check done", hidden: true }));
    this.said = html("div", { role: "status" });
    this.replaceChildren(html("div", { class: "buttons" }, this.button), this.bar, this.said);
    this.dataset.ready = "true";
  }

  disconnectedCallback() {
    this.engine?.close();
  }

  say(/** @type {string[]} */ ...lines) {
    this.said.replaceChildren(...lines.map((line) => html("p", {}, line)));
  }

  async check() {
    this.button.disabled = true;
    this.bar.hidden = false;
    this.say("Fetching the strategy and the checker ...");
    const start = performance.now();
    try {
      const source = await Source.from(this.getAttribute("src") ?? "proof");
      const about = /** @type {any} */ (source.description).proof;
      this.engine = (await openEngine(source)).engine;
      const lines = await prove(this.engine, about, (share, counts) => this.tell(share, counts));
      this.bar.value = 1;
      this.say(...lines, `Checked by this browser in ${((performance.now() - start) / 1000).toFixed(1)} seconds.`);
      this.dataset.proved = "true";
    } catch (error) {
      this.say(`Not proved here: ${error instanceof Error ? error.message : error}.`);
      this.dataset.failed = "true";
    }
    this.engine?.close();
    this.button.disabled = false;
    this.button.textContent = "Check it again";
  }

  tell(/** @type {number} */ share, /** @type {number[]} */ counts) {
    this.bar.value = share;
    const replies = counts.length ? `${counts[0].toLocaleString("en")} replies answered so far.` : "Putting all images of the stored positions in order ...";
    this.say(replies);
  }
}

if (!customElements.get("inarow-proof")) customElements.define("inarow-proof", ProofElement);
