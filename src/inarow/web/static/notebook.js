// A board in a notebook, by anywidget: the moves go back to Python.

let number = 0;

/** Puts a text into the page, where the board looks for it. */
function put(id, type, text) {
  const holder = document.createElement("script");
  Object.assign(holder, { id, type, textContent: text });
  document.head.append(holder);
  return holder;
}

function render({ model, el }) {
  const id = `inarow-notebook-${Date.now()}-${number++}`;
  if (!document.getElementById("inarow-worker")) put("inarow-worker", "text/plain", model.get("_worker"));
  const holder = put(id, "application/json", model.get("_package"));
  const board = document.createElement("inarow-board");
  for (const name of ["game", "player", "side"]) board.setAttribute(name, model.get(name));
  const moves = model.get("moves");
  if (moves) board.setAttribute("moves", moves);
  board.setAttribute("src", `#${id}`);
  board.setAttribute("controls", "few");
  board.addEventListener("inarow-move", (event) => {
    model.set("_played", event.detail.moves);
    model.save_changes();
  });
  el.append(board);
  return () => holder.remove();
}

export default { render };
