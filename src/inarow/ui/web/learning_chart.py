"""The curves of runs as a chart: each run, or the mean and range of those that differ by seed.

A smoothed curve is an exponential moving average over the points, its start corrected for the
points that are not there yet (as in Adam); what was measured stays visible, pale.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from statistics import fmean
from typing import NamedTuple

from inarow.lab.plot_style import BLACK, BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILION
from inarow.ui.web.curves import Point
from inarow.ui.web.training_jobs import TrainingJob

MEASURES = {
    "score": "Score",
    "won": "Won",
    "drawn": "Drawn",
    "lost": "Lost",
    "training": "Lost in training",
}
COLOURS = (BLUE, VERMILION, GREEN, ORANGE, PURPLE, SKY, BLACK)
DASHES = ("solid", "dashed", "dotted")
GREY = "#808890"  # of words and lines, seen on white and on black

Series = dict[str, object]
Curve = dict[int, float]  # percent, by games of training


def line_style(number: int) -> tuple[str, str]:
    """Colour and dashes of a run."""
    place = number - 1
    return COLOURS[place % len(COLOURS)], DASHES[place // len(COLOURS) % len(DASHES)]


def curve_of(points: Sequence[Point], measure: str) -> Curve:
    """One measure of a run."""
    heights = {
        point.games: point.training_lost
        if measure == "training"
        else float(getattr(point.marks, measure))
        for point in points
    }
    return {games: round(100 * h, 3) for games, h in heights.items() if h is not None}


def smoothed(curve: Curve, weight: float) -> Curve:
    """Each height averaged with those before it, of which each counts `weight` times the next."""
    found, total, share = dict[int, float](), 0.0, 0.0
    for games, height in curve.items():
        total, share = weight * total + (1 - weight) * height, weight * share + 1 - weight
        found[games] = round(total / share, 3)
    return found


class Wishes(NamedTuple):
    """What is to be seen of the curves."""

    measure: str = "score"
    log_axis: bool = False
    by_seed: bool = False
    smoothing: float = 0.0  # from 0, not at all, up to 1, which is not allowed


def chart_options(jobs: Sequence[TrainingJob], wishes: Wishes) -> dict[str, object]:
    """All that the chart is told; on a logarithmic axis there is no place for 0 games."""
    measure, log_axis = wishes.measure, wishes.log_axis
    series = _groups(jobs, wishes) if wishes.by_seed else _runs(jobs, wishes)
    if log_axis:
        for one in series:
            one["data"] = [pair for pair in one["data"] if pair[0] > 0]  # type: ignore[attr-defined]
    words = {"color": GREY}
    lines = {"lineStyle": {"color": GREY, "opacity": 0.35}}
    return {
        "animation": False,
        "grid": {"left": 48, "right": 20, "top": 34, "bottom": 64},
        "legend": {
            "bottom": 0,
            "type": "scroll",
            "textStyle": words,
            "data": [one["name"] for one in series if one.get("legend", True)],
        },
        "tooltip": {"trigger": "axis", "confine": True},
        "xAxis": {
            "type": "log" if log_axis else "value",
            "min": 1 if log_axis else 0,
            "max": max(map(_width, jobs), default=1),
            "name": "games of training",
            "nameLocation": "middle",
            "nameGap": 24,
            "nameTextStyle": words,
            "axisLabel": {"hideOverlap": True, **words},
            "splitLine": lines,
        },
        "yAxis": {
            "type": "value",
            "min": 0,
            "max": None if measure in ("lost", "training") else 100,
            "name": f"{MEASURES[measure]}, %",
            "nameTextStyle": {"align": "left", "padding": [0, 0, 0, -30], **words},
            "axisLabel": words,
            "splitLine": lines,
        },
        "series": series,
    }


def series_name(job: TrainingJob, among: Sequence[TrainingJob]) -> str:
    """What the legend calls a run, without its seed: only what tells it from others is said."""
    order = job.order
    words = [order.learner, *(f"{name}={value}" for name, value in order.options.items())]
    if len({other.order.against for other in among}) > 1:
        words.append(f"against {order.against}")
    return " ".join(words)


def _width(job: TrainingJob) -> int:
    """The games that the chart has room for: all, or four times as many as a long run has had."""
    return min(job.order.games, max(1, 4 * job.points[-1].games)) if job.points else 1


def _runs(jobs: Sequence[TrainingJob], wishes: Wishes) -> list[Series]:
    series = []
    for job in jobs:
        name = f"{job.number}: {series_name(job, jobs)}, seed {job.order.seed}"
        curve = curve_of(job.points, wishes.measure)
        series += _smoothed_line(str(job.number), name, curve, job, wishes.smoothing)
    return series


def _groups(jobs: Sequence[TrainingJob], wishes: Wishes) -> list[Series]:
    """For runs that differ by their seed alone: their mean, and from the lowest to the highest."""

    def alike(job: TrainingJob) -> str:
        return repr(replace(job.order, seed=0))

    series = []
    for place, (_, group) in enumerate(groupby(sorted(jobs, key=alike), key=alike)):
        runs = list(group)
        curves = [curve_of(job.points, wishes.measure) for job in runs]
        common = sorted(set.intersection(*(set(curve) for curve in curves)))
        every = {games: [curve[games] for curve in curves] for games in common}
        name = f"{series_name(runs[0], jobs)}: mean of {len(runs)} seeds"
        key, (colour, _) = f"group{place}", line_style(runs[0].number)
        mean = {games: round(fmean(values), 3) for games, values in every.items()}
        low = {games: min(values) for games, values in every.items()}
        wide = {games: max(values) - low[games] for games, values in every.items()}
        series += [
            *_smoothed_line(key, name, mean, runs[0], wishes.smoothing),
            _band(f"{key} low", low, colour, 0),
            _band(f"{key} range", wide, colour, 0.22),
        ]
    return series


def _smoothed_line(
    key: str, name: str, curve: Curve, job: TrainingJob, smoothing: float
) -> list[Series]:
    """A curve in the style of a run; smoothed, with what was measured behind it."""
    colour, dash = line_style(job.number)
    if not smoothing:
        return [_line(key, name, curve, colour, dash)]
    measured = {
        **_line(f"{key} measured", f"{key} measured", curve, colour, dash),
        "legend": False,
        "lineStyle": {"color": colour, "type": dash, "width": 1, "opacity": 0.4},
        "tooltip": {"show": False},
        "silent": True,
    }
    return [measured, _line(key, name, smoothed(curve, smoothing), colour, dash)]


def _line(key: str, name: str, curve: Curve, colour: str, dash: str) -> Series:
    return {
        "id": key,
        "name": name,
        "type": "line",
        "showSymbol": False,
        "data": [[games, height] for games, height in curve.items()],
        "lineStyle": {"color": colour, "type": dash, "width": 2},
        "itemStyle": {"color": colour},
    }


def _band(key: str, curve: Curve, colour: str, opacity: float) -> Series:
    """Half of a band: what lies under it is stacked first, and not drawn."""
    return {
        **_line(key, key, curve, colour, "solid"),
        "legend": False,
        "stack": key.split()[0],
        "lineStyle": {"width": 0},
        "areaStyle": {"color": colour, "opacity": opacity},
        "tooltip": {"show": False},
        "silent": True,
    }
