"""Figures 3, 4, 8, 9, 13 and 14 of the hybrid paper as they stand in a report."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from markupsafe import Markup, escape

from inarow.game import game as game_of
from inarow.graph.graph import graph_of, values_of
from inarow.lab.statistics import summary
from inarow.papers.claims import Column
from inarow.papers.drawing import Scale, axis, class_of, linear, logarithmic, mark
from inarow.papers.measures import Data, ResultRow, from_values
from inarow.papers.verdicts import Row

WHERE = {"corner": "in a corner", "edge": "on an edge", "centre": "in the centre"}


# Figure 3


def losing_moves(stones: Sequence[int]) -> set[int]:
    """Return the moves that lose against perfect play: 1 is the opponent, who moved first."""
    graph = graph_of(game_of("tictactoe"))
    value = values_of(graph).value
    first, second = (sum(1 << n for n, s in enumerate(stones) if s == side) for side in (1, 2))
    (number,) = np.flatnonzero((graph.first == first) & (graph.second == second))
    edges = range(int(graph.edge_start[number]), int(graph.edge_start[number + 1]))
    return {int(graph.move[edge]) for edge in edges if value[graph.child[edge]] > 0}


def boards(data: Data) -> str:
    """Draw the boards of three games with the utility of every move."""
    example = data.fact("example_games")
    games = Markup("").join(_game(name, game) for name, game in example["games"].items())
    return Markup(
        '<div class="games">{}</div>'
        '<p class="key">Shaded: blue for a utility above 0, orange below. Framed: the move that '
        "the agent (X) makes. Corner mark: a move that loses against perfect play. Trained by "
        "attack-defense for {} games, seed {}. Utilities near zero belong to moves that are no "
        "longer tried; they are not estimates.</p>"
    ).format(games, f"{example['training_games']:,}", example["seed"])


def _game(opening: str, game: ResultRow) -> Markup:
    head = f"Opponent (O) opens {WHERE.get(opening, opening)}; {game['outcome']}"
    drawn = Markup("").join(map(_board, game["boards"]))
    return Markup('<div class="game"><p>{}</p><div class="boards">{}</div></div>').format(
        head, drawn
    )


def _board(shown: ResultRow) -> Markup:
    parts, said, losing = list[str](), list[str](), losing_moves(shown["stones"])
    for cell, (stone, utility) in enumerate(zip(shown["stones"], shown["utilities"], strict=True)):
        x, y = cell % 3 * 40, cell // 3 * 40
        if utility is None:
            parts.append(
                f'<path class="x" d="M{x + 11},{y + 11} l18,18 m0,-18 l-18,18"/>'
                if stone == 2
                else f'<circle class="o" cx="{x + 20}" cy="{y + 20}" r="10"/>'
            )
            continue
        shade, opacity = ("pos" if utility > 0 else "neg"), min(1.0, abs(utility) * 1.1)
        text = f"{utility:.2f}".replace("-0.00", "0.00")
        parts.append(
            f'<rect class="{shade}" x="{x}" y="{y}" width="40" height="40" '
            f'fill-opacity="{opacity:.2f}"/><text x="{x + 20}" y="{y + 24}">{text}</text>'
        )
        if cell in losing:
            parts.append(f'<path class="loses" d="M{x + 40},{y} h-11 l11,11z"/>')
        said.append(text + (" loses" if cell in losing else ""))
    move = shown["move"]
    label = f"Utilities {', '.join(said)}; the agent takes cell {move + 1}"
    return Markup(
        f'<svg class="board" viewBox="-2 -2 124 124" role="img" aria-label="{escape(label)}">'
        f'{"".join(parts)}<path class="lines" d="M40,0 v120 M80,0 v120 M0,40 h120 M0,80 h120"/>'
        f'<rect class="next" x="{move % 3 * 40 + 2}" y="{move // 3 * 40 + 2}" width="36" '
        'height="36"/></svg>'
    )


# Figure 4


def histograms(found: ResultRow, window: int) -> str:
    """Draw the distribution of the loss ratio over runs, after some numbers of games."""
    drawn = Markup("").join(
        _histogram(int(games), ratios, window) for games, ratios in found.items()
    )
    return Markup(
        '<div class="nine">{}</div><p class="key">Bars count runs; the dot is the mean, with its '
        "95% interval. Games lost are a share of all so far, or of the last {}.</p>"
    ).format(drawn, f"{window:,}")


def _histogram(games: int, ratios: Sequence[float], window: int) -> Markup:
    percent = 100 * np.array(ratios)
    low, high = float(percent.min()), float(percent.max())
    step = 100 / min(games, window)  # what a lost game adds; a bar is a whole number of them wide
    wide = step * max(1, math.ceil((high - low) / step / 18))
    start, count = low - step / 2, max(1, math.ceil((high - low + step) / wide - 1e-9))
    counts, _ = np.histogram(percent, bins=count, range=(start, start + count * wide))
    each, most = 100 / count, counts.max()
    bars = "".join(
        f'<rect x="{each * n + 0.08 * each:.2f}%" width="{0.84 * each:.2f}%" '
        f'y="{72 - 64 * number / most:.1f}" height="{64 * number / most:.1f}"/>'
        for n, number in enumerate(counts)
        if number
    )
    mean = summary(percent)
    least, greatest = max(mean.low, 0.0), min(mean.high, 100.0)  # a share leaves no 0 to 100%
    place = linear(start, start + count * wide)
    digits = 1 if mean.mean >= 1 else 2 if mean.mean >= 0.01 else 4
    at, left, right = place(mean.mean), place(least), place(greatest)
    one_run = len(percent) < 2
    interval = "one run" if one_run else f"{least:.{digits}f} to {greatest:.{digits}f}"
    zero = int((percent == 0).sum())
    return Markup(
        '<div role="img" aria-label="After {games} games: mean {mean}%, {interval}; {zero} of '
        '{runs} runs at 0"><p><b>{games}</b> games <span>{mean}%</span></p>'
        '<svg class="hist" width="100%" height="92" aria-hidden="true">{bars}'
        '<line class="base" x1="0" x2="100%" y1="72.5" y2="72.5"/>{bar}'
        '<circle cx="{at}%" cy="79" r="3.2"/><text x="0" y="91">{low}%</text>'
        '<text x="100%" y="91" text-anchor="end">{high}%</text></svg>'
        '<p class="small">{interval}{none}</p></div>'
    ).format(
        games=f"{games:,}", mean=f"{mean.mean:.{digits}f}", interval=interval, zero=zero,
        runs=len(percent), bars=Markup(bars), at=f"{at:.1f}", low=f"{low:.3g}", high=f"{high:.3g}",
        bar=Markup("" if one_run else
                   f'<line class="i" x1="{left:.1f}%" x2="{right:.1f}%" y1="79" y2="79"/>'),
        none=f", {zero} runs at 0" if zero else "",
    )  # fmt: skip


# Figures 8, 9, 13, 14: how the games of a test end


def ends(data: Data, game: str, player: str, column: Column, trainers: Sequence[str]) -> str:
    """Return a table of how a test's games end, lost games drawn on a logarithmic scale."""
    rows: dict[str, Row] = {
        row.labels["trainer"]: row
        for row in column.rows(data)
        if row.labels.get("game") == game and "trainer" in row.labels
    }
    found = {row["trainer"]: row["finals"] for row in data.rows(game=game)}
    shown = [trainer for trainer in trainers if trainer in found]
    games = sum(found[shown[0]][f"{end} against {player}"][0] for end in ("won", "drawn", "lost"))
    factor = 100 / games  # from games of a run to per cent
    known = [
        factor * value
        for trainer in shown
        for value in (rows[trainer].published, rows[trainer].judged.ours)
        if value
    ]
    low, high = min([*known, 1.0]) / 2, max([*known, 1.0]) * 2
    powers = range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)
    scale = Scale(logarithmic(low, high, 10), (0.0, *(10.0**power for power in powers)))
    lines = Markup("").join(
        Markup(
            '<tr class="{cls}"><th scope="row">{trainer}</th>'
            '<td class="num" data-l="won">{won}</td><td class="num" data-l="tied">{drawn}</td>'
            '<td class="num pub" data-l="lost: paper">{published}</td>'
            '<td class="num our" data-l="lost: ours">{lost}</td>'
            '<td class="plotcol">{mark}</td></tr>'
        ).format(
            cls=class_of(rows[trainer]), trainer=trainer,
            published=share_text(factor * rows[trainer].published),
            mark=mark(scale, rows[trainer], rows[trainer].published, factor),
            **{end: share_text(factor * from_values(found[trainer][f"{end} against {player}"]).mean)
               for end in ("won", "drawn", "lost")},
        )
        for trainer in shown
    )  # fmt: skip
    return Markup(
        '<table class="compare ends"><colgroup><col class="w9"><col class="w5"><col class="w5">'
        '<col class="w6"><col class="w5"><col></colgroup><thead><tr><th scope="col">trainer</th>'
        '<th scope="col" class="num">won</th><th scope="col" class="num">tied</th>'
        '<th scope="col" class="num">lost, published</th><th scope="col" class="num">ours</th>'
        '<th scope="col" class="plotcol"><span class="hide">lost, drawn</span></th></tr></thead>'
        '<tbody>{}<tr class="foot"><td colspan="5">published: {}, as a share</td>'
        '<td class="plotcol">{}</td></tr></tbody></table>'
    ).format(lines, column.entry.source, axis(scale, lambda value: share_text(value)))


def share_text(percent: float) -> str:
    """Write per cent with as many digits as a small or a nearly whole share needs."""
    if not percent or percent == 100:
        return f"{percent:.0f}%"
    if percent >= 99.95:
        return f"{percent:.2f}%"
    return f"{percent:.1f}%" if percent >= 10 else f"{percent:.2g}%"
