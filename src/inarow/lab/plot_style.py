"""The one style of the project's figures: style, colours, and how they are written.

Colours are Okabe and Ito's, which colour-blind people can tell apart; lines differ in their dashes
and areas in their hatching too, so that a figure also reads in grey.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inarow.game.errors import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LONGEST = 200  # characters of a text in a figure

BLUE, VERMILION, GREEN, ORANGE = "#0072B2", "#D55E00", "#009E73", "#E69F00"
SKY, PURPLE, BLACK = "#56B4E9", "#CC79A7", "#000000"
GREY, PALE = "#555555", "#d9d9d9"

Style = tuple[str, str | tuple[float, tuple[float, ...]]]  # colour and dashes
STYLES: tuple[Style, ...] = (  # differ in both, so that a figure reads in grey
    (BLUE, "-"),
    (VERMILION, (0, (5, 1.5))),
    (GREEN, (0, (6, 2, 1, 2))),
    (ORANGE, (0, (3, 1.5))),
    (SKY, (0, (4, 1.5, 1, 1.5, 1, 1.5))),
    (PURPLE, (0, (2, 1))),
    (GREY, (0, (1, 1))),
    (BLACK, ":"),
)
Point = tuple[float, float, float | None, float | None]  # games, height, and its 95% interval

SIZE = (8.0, 4.0)  # inches, of a figure that says nothing else
STYLE: Any = {  # versions of Matplotlib differ in what they call its type
    "svg.hashsalt": "inarow",  # the same results give the same file
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "hatch.linewidth": 0.6,
    "legend.frameon": False,
    "lines.markersize": 5,
}

Draw = Callable[["Figure"], None]


def save_figures(
    drawings: Mapping[str, Draw],
    folder: Path,
    sizes: Mapping[str, tuple[float, float]] | None = None,
    kind: str = "svg",
) -> list[Path]:
    """Draws each figure into a file of its name; the same drawing gives the same bytes."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    folder.mkdir(parents=True, exist_ok=True)
    written = []
    with rc_context(STYLE):
        for name, draw in drawings.items():
            figure = Figure(figsize=(sizes or {}).get(name, SIZE), layout="constrained")
            draw(figure)
            path = folder / f"{name}.{kind}"
            figure.savefig(path, metadata={"Date": None} if kind == "svg" else None)
            written.append(path)
    return written


def figure_text(text: str) -> str:
    """A text for a figure as it stands: no formula, no character that cannot be printed."""
    shown = printable(text)
    if len(shown) > LONGEST:
        shown = f"{shown[:LONGEST]} ..."
    return shown.replace("$", r"\$")


def draw_line(axes: Axes, points: Sequence[Point], label: str, style: Style) -> None:
    """A curve, its band where its points have intervals."""
    if not points:
        return
    colour, dashes = style
    games, heights, low, high = zip(*points, strict=True)
    if None not in low:
        axes.fill_between(games, low, high, color=colour, alpha=0.15, lw=0)
    (drawn,) = axes.plot(games, heights, color=colour, linestyle=dashes, linewidth=1.6, label=label)
    if len(points) <= 25:
        drawn.set(marker="o", markersize=2.5)
    if len(points) == 1:  # as a published one: to be found at a glance
        drawn.set(marker="*", markersize=11)


def plain_number(value: float, _: object = None) -> str:
    """For the ticks of an axis: 0.1 and 10,000 rather than powers of ten."""
    return f"{value:,.10g}"


def short_number(value: float, _: object = None) -> str:
    """For the ticks of an axis of games: 100, 10k, 1M."""
    for unit, size in (("M", 1e6), ("k", 1e3)):
        if abs(value) >= size:
            return f"{value / size:g}{unit}"
    return f"{value:g}"
