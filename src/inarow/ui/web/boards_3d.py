"""A board of three dimensions as a scene that can be turned.

The first player's stones are blocks, the second's balls. A small ball stands where a stone may be
played; where stones fall, on a peg through all levels. Only what differs from the last drawing is
made anew.
"""

from __future__ import annotations

from collections.abc import Callable

from nicegui import ui
from nicegui.elements.scene.scene_object3d import Object3D
from nicegui.events import SceneClickEventArguments

from inarow.game import Game
from inarow.lab.plot_style import BLUE, GREEN, ORANGE
from inarow.ui.web.cells import Cell

MOST_CELLS = 216  # of a scene in which cells can still be told apart
WIDTH, HEIGHT = 420, 400
BLOCK, BALL, SPOT = 0.62, 0.38, 0.13  # sizes where cells are 1 apart
LEVEL = 1.25  # levels stand further apart than cells
FLOOR, PEG, OPEN, LINE = "#b9c2cc", "#8a94a0", "#6b7580", "#20252B"

# When the scene is ready: as sharp as the screen, never from below the floor; a finger that goes up
# or down scrolls the page. A browser has few WebGL contexts, and NiceGUI gives none back: those of
# scenes that have left the page are.
READY = """() => {
    const scene = getElement(%d);
    if (!scene.renderer) return;
    for (const old of window.scenes3d || []) {
        if (old.$el?.isConnected) continue;
        old.renderer.render = () => {};
        old.renderer.dispose();
        old.renderer.forceContextLoss();
    }
    window.scenes3d = [...(window.scenes3d || []).filter((old) => old.$el?.isConnected), scene];
    scene.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 3));
    scene.resize();
    Object.assign(scene.controls, {
        maxPolarAngle: 1.5, minDistance: %f, maxDistance: %f, enablePan: false,
    });
    scene.renderer.domElement.style.touchAction = 'pan-y';
}"""

# A press that moves turns the scene; one that stays where it is plays. NiceGUI reads the place of a
# press in pixels of the drawing, of which a sharp screen has more than the page.
REMEMBER = "(e) => { window.pressedAt = [e.clientX, e.clientY]; }"
LET_THROUGH = """(e) => {
    const [x, y] = window.pressedAt || [e.clientX, e.clientY];
    const turned = Math.abs(e.clientX - x) + Math.abs(e.clientY - y) > 6;
    if (turned || e.detail > 1) return e.stopPropagation();  // a double click is one move
    const canvas = e.target.closest('canvas');
    if (!canvas) return;
    const ratio = canvas.width / canvas.clientWidth, [left, top] = [e.offsetX, e.offsetY];
    Object.defineProperty(e, 'offsetX', { value: left * ratio });
    Object.defineProperty(e, 'offsetY', { value: top * ratio });
}"""


def has_scene(game: Game) -> bool:
    """Whether a board is shown as a scene too."""
    return len(game.shape) == 3 and game.cells <= MOST_CELLS


class Scene:
    """The scene of one game; `on_play` is told the move of what is pressed."""

    def __init__(self, game: Game, on_play: Callable[[int], None]) -> None:
        self.game, self.on_play = game, on_play
        self.moves: dict[int, int] = {}  # by the cell where the stone would lie
        self.shown: dict[int, tuple[object, ...]] = {}  # what each cell shows
        self.things: dict[int, list[Object3D]] = {}  # the objects that show it
        with ui.column().classes("items-center gap-0").style("width: min(430px, 100%)"):
            room = ui.element("div").classes("scene-room").props('data-testid="scene" role="img"')
            room.props["aria-label"] = (
                "The board in three dimensions; the layers beside it can be played too"
            )
            reset = ui.button("Reset view", icon="360", on_click=self._look)
            reset.props('flat dense no-caps data-testid="reset-view"')
        room.on("pointerdown.capture", js_handler=REMEMBER)
        room.on("click.capture", js_handler=LET_THROUGH)
        with room:
            self.scene = ui.scene(
                width=WIDTH,
                height=HEIGHT,
                grid=False,
                background_color="#ffffff",
                click_events=["click"],
                on_click=self._click,
            )
        long = max(game.shape)
        self.scene.on("init", js_handler=READY % (self.scene.id, 0.9 * long, 4.0 * long))
        self._look()
        with self.scene:
            self._draw_frame()

    def _look(self) -> None:
        """The view from which everything can be seen."""
        distance = max(self.game.shape) * 0.8
        self.scene.move_camera(
            x=0.75 * distance, y=-1.35 * distance, z=1.0 * distance, look_at_z=0, duration=0
        )

    def show(self, cells: list[Cell]) -> None:
        """Draws what differs."""
        self.moves = {
            cell: shown["move"]
            for cell, shown in enumerate(cells)
            if "move" in shown and "stone" not in shown
        }
        with self.scene:
            for cell, shown in enumerate(cells):
                wanted = (
                    shown.get("stone"),
                    "move" in shown,
                    shown.get("heat"),
                    *(shown.get(mark, False) for mark in ("last", "line", "scored", "best")),
                )
                if wanted != self.shown.get(cell):
                    self.shown[cell] = wanted
                    self._draw_cell(cell, shown)

    def _draw_cell(self, cell: int, shown: Cell) -> None:
        for thing in self.things.pop(cell, []):
            thing.delete()
        things, place = list[Object3D](), self._place(cell)
        if "stone" in shown:
            if shown["stone"] == 1:
                things.append(self.scene.box(BLOCK, BLOCK, BLOCK).material(BLUE))
            else:
                things.append(self.scene.sphere(BALL).material(ORANGE))
            if shown.get("last") or shown.get("line") or shown.get("scored"):
                side = 1.35 * BLOCK
                things.append(self.scene.box(side, side, side, wireframe=True).material(LINE))
        elif "move" in shown:
            best = shown.get("best", False)
            size = 2 * SPOT if best or shown.get("heat") else SPOT
            colour = GREEN if best else shown.get("heat", OPEN)
            things.append(self.scene.sphere(size).material(colour, 0.9))
        for thing in things:
            thing.move(*place).with_name(f"cell {cell}")
        self.things[cell] = things

    def _draw_frame(self) -> None:
        """A grid under each level, and pegs where stones fall.

        Lines, for a plate hides what is behind it, however transparent.
        """
        levels, rows, columns = self.game.shape
        right, back = columns / 2, rows / 2
        for level in range(levels):
            z = self._height(level) - BLOCK / 2 - 0.04
            ends = [([-right, y - back, z], [right, y - back, z]) for y in range(rows + 1)]
            ends += [([x - right, -back, z], [x - right, back, z]) for x in range(columns + 1)]
            for start, end in ends:
                self.scene.line(start, end).material(FLOOR)
        if self.game.gravity:
            long = (levels - 1) * LEVEL + BLOCK
            for column in range(self.game.columns):
                x, y, _ = self._place(column)
                peg = self.scene.cylinder(0.04, 0.04, long, 8).material(PEG, 0.6)
                # Cylinders of the scene stand along y: up is z.
                peg.rotate(1.5707963, 0, 0).move(x, y, 0).with_name(f"column {column}")

    def _height(self, level: int) -> float:
        """Where stones fall the first level is the lowest; else it is drawn on top."""
        upwards = 1 if self.game.gravity else -1
        return (level - (self.game.shape[0] - 1) / 2) * LEVEL * upwards

    def _place(self, cell: int) -> tuple[float, float, float]:
        _, rows, columns = self.game.shape
        level, row, column = cell // (rows * columns), cell // columns % rows, cell % columns
        return column - (columns - 1) / 2, (rows - 1) / 2 - row, self._height(level)

    def _click(self, event: SceneClickEventArguments) -> None:
        """Plays the nearest thing under the pointer that can be played."""
        for hit in event.hits:
            kind, _, number = str(hit.object_name or "").partition(" ")
            if not number.isdigit():
                continue
            if kind == "column":
                self.on_play(int(number))
                return
            if int(number) in self.moves:
                self.on_play(self.moves[int(number)])
                return
