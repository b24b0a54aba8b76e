// Small helpers for elements of a page: making them, asking a question, saying that text was copied.

/** An element of HTML; attributes that begin with `on` are listeners, `null` leaves one out. */
export function html(/** @type {string} */ tag, /** @type {Record<string, any>} */ attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null));
  return node;
}

/** A button with a text. */
export function makeButton(/** @type {string} */ text, /** @type {(event: Event) => unknown} */ act, attributes = {}) {
  return /** @type {HTMLButtonElement} */ (html("button", { type: "button", onclick: act, ...attributes }, text));
}

/** A choice of one among several, as radio buttons in a row. */
export function makeSegments(label, name, options, chosen, /** @type {(value: string) => void} */ act) {
  const parts = options.map(([value, text, about]) => {
    const input = html("input", { type: "radio", name, value, checked: value === chosen, onchange: () => act(value) });
    return html("label", { title: about ?? null }, input, html("span", {}, text));
  });
  return html("div", { class: "segments", role: "radiogroup", "aria-label": label }, ...parts);
}

/** Asks a question in a dialog; whether the answer was the first one. */
export function askFirst(/** @type {HTMLElement} */ place, question, yes, no = "Cancel") {
  return new Promise((resolve) => {
    const dialog = /** @type {HTMLDialogElement} */ (html("dialog", { class: "ask", "aria-label": question }));
    const done = (/** @type {boolean} */ answer) => {
      dialog.remove();
      resolve(answer);
    };
    const buttons = [makeButton(yes, () => done(true), { class: "strong" }), makeButton(no, () => done(false))];
    dialog.append(html("p", {}, question), html("div", { class: "buttons" }, ...buttons));
    dialog.addEventListener("cancel", () => done(false));
    place.append(dialog);
    dialog.showModal();
  });
}

/** Copies a text and says so on the button that asked for it. */
export async function copyText(/** @type {string} */ text, /** @type {HTMLElement} */ by) {
  const before = by.textContent;
  try {
    await navigator.clipboard.writeText(text);
    by.textContent = "Copied";
  } catch {
    const field = /** @type {HTMLTextAreaElement} */ (html("textarea", { "aria-label": "the text to copy" }));
    field.value = text;
    by.after(field);
    field.select();
    by.textContent = document.execCommand?.("copy") ? "Copied" : "Copy this";
    if (by.textContent === "Copied") field.remove();
  }
  setTimeout(() => (by.textContent = before), 2000);
}

/** Whether a key went to a field that takes text. */
export function isTyping(/** @type {Event} */ event) {
  return /** @type {Element} */ (event.target).matches?.("input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable]");
}
