// On the page Train: the form that continues an agent of the server's folder.
import { fillSelect } from "./form.js";
import { ask, enable, find, trying, wholeNumber } from "./lab.js";

const form = find("#resume");
const { agent, games } = form.elements;
let saved = /** @type {[string, number, string][]} */ ([]); // names, games so far, what they are

/** Lists the agents that can be trained further, if there is a new list; the form can be used then. */
export function showSaved(/** @type {[string, number, string][] | undefined} */ list) {
  if (list) {
    saved = list;
    const choices = list.map(([name, played, what]) => [name, `${name} (${what}, ${played.toLocaleString("en")} games)`]);
    fillSelect(agent, [["", ""], .../** @type {[string, string][]} */ (choices)]);
    find("[data-none]", form).hidden = list.length > 0;
  }
  enable(form);
}

agent.addEventListener("change", () => {
  const chosen = saved.find(([name]) => name === agent.value);
  games.value = chosen ? String(2 * chosen[1]) : "";
});
form.addEventListener("submit", (/** @type {Event} */ event) => {
  event.preventDefault();
  trying(find("[data-testid=resume-message]"), async () => {
    if (!agent.value) throw new Error("choose an agent");
    await ask("runs/resume", { agent: agent.value, games: wholeNumber(games.value, "Games in all") });
    find("#curves").scrollIntoView({ block: "nearest" });
  });
});
