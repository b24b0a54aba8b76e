// Light, dark, or as the system has it: a button `[data-theme-switch]` on any page. What was chosen
// is remembered by the browser. Without a choice nothing is set, and the system decides. The button is
// disabled until this script is there.

const CHOSEN = "inarow-theme";

function readTheme() {
  try {
    return localStorage.getItem(CHOSEN);
  } catch {
    return null;
  }
}

function applyTheme(/** @type {string | null} */ theme) {
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
}

applyTheme(readTheme());
for (const button of document.querySelectorAll("[data-theme-switch]")) /** @type {HTMLButtonElement} */ (button).disabled = false;
document.addEventListener("click", (event) => {
  if (!(/** @type {Element} */ (event.target).closest("[data-theme-switch]"))) return;
  const chosen = document.documentElement.dataset.theme;
  const isDark = chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const theme = isDark ? "light" : "dark";
  applyTheme(theme);
  try {
    localStorage.setItem(CHOSEN, theme);
  } catch {
    // It is remembered for this page only.
  }
});
