// What the pages of the laboratory share: questions to the server, its events, and where words go.

/** The answer of the API, or an error of one line. */
export async function ask(/** @type {string} */ path, /** @type {object | Blob | undefined} */ body = undefined) {
  const isFile = body instanceof Blob;
  const headers = isFile ? {} : { "Content-Type": "application/json" };
  const sent = body && { method: "POST", headers, body: isFile ? body : JSON.stringify(body) };
  const answer = await fetch(`/api/${path}`, sent).catch(() => null);
  if (!answer) throw new Error("The server does not answer: is it still there?");
  const found = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(found.error ?? `The server failed (${answer.status}).`);
  return found;
}

/** Does some work; what goes wrong is said in one line at a place of the page, while it `counts`. */
export async function trying(/** @type {Element} */ place, /** @type {() => any} */ work, counts = () => true) {
  place.textContent = "";
  try {
    return await work();
  } catch (error) {
    if (counts()) place.textContent = error instanceof Error ? error.message : String(error);
    return undefined;
  }
}

/** Lets a form be used. Until it is filled in it is disabled, so that nothing typed is lost. */
export function enable(/** @type {ParentNode} */ form) {
  for (const part of form.querySelectorAll("fieldset[disabled]")) /** @type {HTMLFieldSetElement} */ (part).disabled = false;
}

/** Buttons marked `[data-technical]` show and hide the technical names on the page. */
export function listenForNames() {
  document.addEventListener("click", ({ target }) => {
    if (!(/** @type {Element} */ (target).closest("[data-technical]"))) return;
    const isShown = find("main").toggleAttribute("data-names");
    for (const button of document.querySelectorAll("[data-technical]")) button.setAttribute("aria-pressed", String(isShown));
  });
}

/** Listens to events of the server: the browser asks again whenever the connection is lost. */
export function listen(/** @type {string} */ path, /** @type {(told: any) => void} */ take) {
  const source = new EventSource(`/api/${path}`);
  source.onmessage = ({ data }) => take(JSON.parse(data));
  addEventListener("pagehide", () => source.close());
  addEventListener("pageshow", ({ persisted }) => persisted && location.reload());
}

/** An element with attributes and children; functions listen, `text` is its content. */
export function html(/** @type {string} */ tag, /** @type {Record<string, any>} */ attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (name === "text") node.textContent = value;
    else if (typeof value === "boolean") node.toggleAttribute(name, value);
    else node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

export const find = (/** @type {string} */ selector, /** @type {ParentNode} */ within = document) =>
  /** @type {any} */ (within.querySelector(selector));

/** A whole number that somebody typed, also as 1,000,000 or 1e6. */
export function wholeNumber(/** @type {string} */ text, /** @type {string} */ what) {
  const plain = text.replace(/[\s,_']/g, "");
  const value = /^-?\d{1,15}(e\d{1,2})?$/.test(plain) ? Number(plain) : NaN;
  if (!Number.isSafeInteger(value)) throw new Error(`${what}: give a whole number${plain ? `, not "${text.slice(0, 30)}"` : ""}`);
  return value;
}

/** The address of the page without what filled its form: a reload keeps what was typed since. */
export function takeAddress() {
  const asked = Object.fromEntries(new URLSearchParams(location.search));
  if (location.search) history.replaceState(history.state, "", location.pathname);
  return asked;
}

/** What a form says, kept in this browser; a browser that keeps nothing is no obstacle. */
export function recall(/** @type {string} */ key) {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "{}");
  } catch {
    return {};
  }
}

export function remember(/** @type {string} */ key, /** @type {object} */ value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Nothing is kept then.
  }
}
