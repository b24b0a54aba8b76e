// Form fields made from a learner's description: nothing about any learner is written here.
import { html } from "./lab.js";

/** @typedef {{ default: string | number | boolean, hint: string, choices: string[], main: boolean }} Option */

/** A field with its label and a sentence; `shown` is what it says at first. */
export function makeField(/** @type {string} */ name, /** @type {Option} */ option, /** @type {any} */ shown = option.default) {
  const about = html("small", { id: `about-${name}`, text: option.hint });
  const title = name.replaceAll("_", " ");
  const common = { name, "data-testid": `option-${name}`, "aria-describedby": about.id };
  if (typeof option.default === "boolean") {
    const box = html("input", { ...common, type: "checkbox", checked: /^(true|yes)$/i.test(String(shown)) });
    return html("div", { class: "field" }, html("label", { class: "check" }, box, ` ${title}`), about);
  }
  let input = html("input", { ...common, value: String(shown), spellcheck: "false" });
  if (option.choices.length) {
    const usual = option.choices.includes(String(shown)) ? String(shown) : String(option.default);
    input = html("select", common, ...option.choices.map((choice) => new Option(choice, choice, false, choice === usual)));
  }
  return html("div", { class: "field" }, html("label", {}, `${title} `, input), about);
}

/** What the fields say, by name; with `onlyChanged` what differs from the defaults. */
export function readFields(/** @type {ParentNode[]} */ places, /** @type {Record<string, Option>} */ options, onlyChanged = true) {
  const found = /** @type {Record<string, string | boolean>} */ ({});
  for (const input of places.flatMap((place) => [.../** @type {NodeListOf<HTMLInputElement>} */ (place.querySelectorAll("input, select"))])) {
    const value = input.type === "checkbox" ? input.checked : input.value.trim();
    if (!onlyChanged || String(value) !== String(options[input.name].default)) found[input.name] = value;
  }
  return found;
}

/** Fills a choice with [value, text] pairs; what was chosen stays if it is still there. */
export function fillSelect(/** @type {HTMLSelectElement} */ select, /** @type {[string, string][]} */ choices, wanted = select.value) {
  select.replaceChildren(...choices.map(([value, text]) => new Option(text, value)));
  select.value = choices.some(([value]) => value === wanted) ? wanted : (choices[0]?.[0] ?? "");
}

/** A choice of a game, or any other by its name: returns what reads it and what sets it. */
export function gameField(/** @type {HTMLFormElement} */ form, /** @type {() => void} */ changed) {
  const { game, game_text: text } = /** @type {any} */ (form.elements);
  const other = text.closest("label");
  const show = () => (other.hidden = game.value !== "");
  const isListed = (/** @type {string} */ name) => [...game.options].some((one) => one.value && one.value === name);
  game.addEventListener("change", () => (show(), changed()));
  let waiting = 0;
  const tell = () => {
    if (waiting) changed();
    waiting = 0;
  };
  text.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = window.setTimeout(tell, 300);
  });
  text.addEventListener("change", () => (clearTimeout(waiting), tell())); // before the next field is filled in
  return {
    read: () => (game.value || text.value).trim(),
    set(/** @type {string} */ name) {
      game.value = isListed(name) ? name : "";
      if (!game.value) text.value = name;
      show();
    },
  };
}
