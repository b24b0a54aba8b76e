// A paper's page: leads from a condition of its study to the page Train, its form filled in.
import { ask, find } from "./lab.js";
import { fillSelect } from "./form.js";

const place = find("#conditions");
const [select, about, link] = [find("select", place), find("[data-about]", place), find("a", place)];

const follow = () => {
  link.href = select.value;
};
select.addEventListener("change", follow);
const fill = async () => {
  if (select.options.length || !place.open) return;
  const found = await ask(`papers/${place.dataset.paper}/conditions`).catch((error) => ({ error }));
  if (!found.length) {
    about.textContent = found.error?.message ?? "None of them is a training run that works on a page.";
    return;
  }
  fillSelect(select, found.map((/** @type {any} */ one) => [one.address, `${one.label} (${one.part})`]));
  [about.hidden, link.hidden, select.closest("label").hidden] = [true, false, false];
  follow();
};
place.addEventListener("toggle", fill);
fill(); // it may have been opened before
if (matchMedia("(max-width: 900px)").matches) find(".contents")?.removeAttribute("open");
