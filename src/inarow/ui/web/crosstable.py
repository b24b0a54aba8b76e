"""The crosstable of an arena: ratings, totals, and everybody's score against everybody."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from html import escape

from nicegui import ui
from nicegui.element import Element

from inarow.lab.match_result import Tally
from inarow.lab.plot_style import BLUE, ORANGE
from inarow.ui.web.arena_jobs import ArenaJob

STYLE = """
.crosstable { border-collapse: collapse; }
.crosstable th, .crosstable td { padding: 2px 6px; text-align: center; }
.crosstable th { font-weight: 600; font-size: 0.85rem; }
.crosstable .player { text-align: left; min-width: 6rem; max-width: 12rem;
  overflow-wrap: anywhere; position: sticky; left: 0; z-index: 1; background: var(--card); }
@media (max-width: 640px) { .crosstable .player { max-width: 7rem; } }
.crosstable tbody tr { border-top: 1px solid var(--rule); }
.crosstable small { display: block; color: var(--quiet); white-space: nowrap; }
.crosstable button small { color: #2a2f36; }
.crosstable button { min-width: 4.2rem; padding: 3px 4px; border-radius: 4px; cursor: pointer;
  border: 1px solid transparent; color: #111; }
.crosstable button:hover, .crosstable button:focus-visible { border-color: #111; }
"""

Open = Callable[[str, str], Awaitable[None]]


class Crosstable:
    """The table; pressing a result opens its games."""

    def __init__(self, on_open: Open) -> None:
        self.on_open = on_open
        ui.add_css(STYLE)
        self.place = ui.element("div").classes("w-full overflow-x-auto")
        self.place.props('tabindex="0" role="region" aria-label="crosstable"')
        self.notes = ui.label().classes("text-sm quiet")

    def show(self, job: ArenaJob) -> None:
        """The result so far."""
        result = job.result
        names = result.ranking if result else job.names
        self.place.clear()
        with (
            self.place,
            ui.element("table").classes("crosstable").props('data-testid="crosstable"'),
        ):
            with ui.element("thead"), ui.element("tr"):
                for text in ("player", "rating", "score"):
                    _text("th", text).classes("player" if text == "player" else "")
                for place in range(len(names)):
                    _text("th", str(place + 1))
            with ui.element("tbody"):
                for place, name in enumerate(names):
                    self._row(job, place, name, names)
        repeated = [" - ".join(pair) for pair, match in job.matches.items() if match.repeated]
        self.notes.text = (
            "Rating: on the scale of Elo, 0 the mean of the field, with its 95% interval. "
            "Score: wins and half the draws; below it wins, draws, losses."
        ) + (f" Always the same game: {', '.join(repeated)}." if repeated else "")

    def _row(self, job: ArenaJob, place: int, name: str, names: list[str]) -> None:
        with ui.element("tr") as row:
            row.props["data-testid"] = f"row-{name}"
            _text("td", f"{place + 1}  {name}").classes("player")
            with ui.element("td"):
                if job.result is not None and job.result.total(name).games:
                    rating = job.result.ratings[name]
                    _text("span", f"{rating.rating:+.0f}").classes("font-semibold")
                    _text("small", f"{rating.low:+.0f} to {rating.high:+.0f}")
            total = job.result.total(name) if job.result else Tally()
            _text("td", f"{total.score:.1%}" if total.games else "")
            for other in names:
                with ui.element("td"):
                    tally = job.result.tally(name, other) if job.result else Tally()
                    if name != other and tally.games:
                        self._cell(name, other, tally)

    def _cell(self, name: str, other: str, tally: Tally) -> None:
        counts = f"{tally.wins}-{tally.draws}-{tally.losses}"
        button = ui.element("button").style(f"background: {_shade(tally.score)}")
        button.props('type="button"')
        button.props["data-testid"] = f"cell-{name}-{other}"
        button.props["aria-label"] = (
            f"{name} against {other}: {tally.score:.0%}, {counts}; see the games"
        )
        button.on("click", lambda: self.on_open(name, other))
        with button:
            _text("span", f"{tally.score:.0%}")
            _text("small", counts)


def _text(tag: str, text: str) -> Element:
    return ui.html(escape(text), sanitize=False, tag=tag)


def _shade(score: float) -> str:
    """Blue for who wins, orange for who loses, pale between."""
    colour, strength = (BLUE, score - 0.5) if score >= 0.5 else (ORANGE, 0.5 - score)
    return f"color-mix(in srgb, {colour} {round(70 * strength)}%, #f4f5f7)"
