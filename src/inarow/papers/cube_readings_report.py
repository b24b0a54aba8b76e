"""How close each reading of the cube paper comes to its tables, and the small structured network.

Every reading is judged by the same figures as the base. The small structured network falls short
of its published figures under the base, so more readings were tried for it alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inarow.papers.cube import MEASURES, PAPER_GAMES, PUBLISHED, WAYS
from inarow.papers.cube_claims import plain
from inarow.papers.cube_readings import BASE, NETWORKS, READINGS, SCALES, SMALL
from inarow.papers.cube_verdicts import (
    LEVEL,
    OUTSIDE,
    TABLES,
    WITHIN,
    are_apart,
    is_whole,
    judged_readings,
    plus_minus,
)
from inarow.papers.page import Table, list_text
from inarow.papers.results import MATCHES, NOT_RUN, Results

Judged = Sequence[Mapping[str, Any]]
GENERAL = tuple(reading.name for reading in READINGS if not reading.networks)


def tables(results: Results) -> list[Table]:
    """A summary, each reading's figures for both ways, and the small structured network's."""
    found = judged_readings(results)
    return [
        summary_table(found),
        *(way_table(found, way) for way in WAYS),
        small_table(found),
    ]


def summary_table(found: Judged) -> Table:
    """How many figures are within two deviations, and how far off they are on the average."""
    lines = []
    for name in GENERAL:
        line = [name]
        for way in WAYS:
            here = [row for row in found if (row["reading"], row["way"]) == (name, way)]
            away = [abs(row["mean"] - row["published"]) for row in here]
            line += [within_text(here), f"{sum(away) / len(away):.1f}" if away else ""]
        lines.append((*line, within_text([row for row in found if row["reading"] == name])))
    return Table(
        ("reading", "Table II", "off by", "Table III", "off by", "in all"),
        tuple(lines),
        "Figures within two published deviations, and the mean distance",
    )


def within_text(judged: Judged) -> str:
    """As in 3 of 4; nothing where there is nothing, or shorter trials than the paper's."""
    if not judged or any(row["two_deviations"] == NOT_RUN for row in judged):
        return ""
    return f"{sum(row['two_deviations'] == WITHIN for row in judged)} of {len(judged)}"


HEADS = ("small str.", "deep str.", "small unstr.", "wide unstr.")


def way_table(found: Judged, way: str) -> Table:
    """Peak / end of each network under each reading; a star where outside two deviations."""
    by_place = _by_place(found)
    stated = [PUBLISHED[way][network] for network in NETWORKS]
    lines = [("the paper", *(f"{peak.mean:.1f}/{end.mean:.1f}" for peak, end in stated))]
    for name in GENERAL:
        cells = [_pair(by_place, name, way, network) for network in NETWORKS]
        if any(cells):
            lines.append((name, *cells))
    title = f"Table {TABLES[way]}, {way}: peak/end win % by reading"
    return Table(("reading", *HEADS), tuple(lines), title)


def small_table(found: Judged) -> Table:
    """The small structured network under all readings."""
    by_place, network = _by_place(found), SMALL[0]
    stated = [PUBLISHED[way][network] for way in WAYS]
    lines = [("the paper", *(f"{peak.mean:.1f}/{end.mean:.1f}" for peak, end in stated), "")]
    for reading in READINGS:
        cells = [_pair(by_place, reading.name, way, network) for way in WAYS]
        judged = [
            row for row in found if (row["reading"], row["network"]) == (reading.name, network)
        ]
        if judged:
            lines.append((reading.name, *cells, within_text(judged)))
    return Table(
        ("reading", *WAYS, "within"), tuple(lines), "The small structured network, all readings"
    )


def _by_place(found: Judged) -> dict[tuple[str, str, str, str], Mapping[str, Any]]:
    return {(r["reading"], r["way"], r["network"], r["measure"]): r for r in found}


def _pair(by_place: Mapping[Any, Mapping[str, Any]], name: str, way: str, network: str) -> str:
    """As in 30.9*/15.3."""
    rows = [by_place.get((name, way, network, measure)) for measure in MEASURES]
    return "/".join(
        f"{row['mean']:.1f}{'*' if row['two_deviations'] == OUTSIDE else ''}"
        for row in rows
        if row is not None
    )


def notes(results: Results) -> list[str]:
    """What to say below the tables."""
    trials = results.rows[0]["trials"]
    if not is_whole(results):
        return [
            f"Trials of {SCALES[results.scale].games:,} games say nothing of readings: the paper's "
            f"{PAPER_GAMES:,} are `--scale paper`."
        ]
    return [
        f"Means of {trials} trials each, peak/end. A star: the published figure lies farther away "
        "than two published deviations.",
        best_words(judged_readings(results)),
        *small_words(judged_readings(results)),
    ]


def best_words(found: Judged) -> str:
    """Which reading comes nearest to both tables, and which to each alone."""
    whole = [
        name for name in GENERAL if {r["way"] for r in found if r["reading"] == name} == {*WAYS}
    ]
    number = sum(row["reading"] == BASE for row in found)
    best, near = _most_within(found, whole)
    said = [
        f"Of the readings run in both ways, {quoted(best)} {'has' if len(best) == 1 else 'have'} "
        f"most figures within two deviations: {near} of {number}."
    ]
    alone = [_most_within([r for r in found if r["way"] == way], whole) for way in WAYS]
    if not {*alone[0][0]} & {*alone[1][0]}:
        tables = " and ".join(
            f"{most} of {number // 2} of Table {table} ({quoted(names)})"
            for table, (names, most) in zip(("II", "III"), alone, strict=True)
        )
        said.append(
            f"Taken apart, the tables are met best by different readings: {tables}. So the paper's "
            "self-play may have been tested in another way than its benchmark training."
        )
    return " ".join(said)


def _most_within(found: Judged, names: Sequence[str]) -> tuple[list[str], int]:
    """The readings with most figures within two deviations, and how many these are."""
    near = {
        name: sum(r["two_deviations"] == WITHIN for r in found if r["reading"] == name)
        for name in names
    }
    most = max(near.values())
    return [name for name in names if near[name] == most], most


def quoted(names: Sequence[str]) -> str:
    """Names of readings in a sentence."""
    return list_text([f"“{name}”" for name in names])


def small_words(found: Judged) -> list[str]:
    """Whether any reading explains the small structured network's shortfall."""
    by_place, network, said = _by_place(found), SMALL[0], list[str]()
    names = [reading.name for reading in READINGS if reading.name != BASE]
    for way in WAYS:
        for place, measure in enumerate(MEASURES):
            base = by_place[BASE, way, network, measure]
            tried = [
                by_place[name, way, network, measure]
                for name in names
                if (name, way, network, measure) in by_place
            ]
            higher = [r for r in tried if r["mean"] > base["mean"] and are_apart(r, base)]
            matching = [row for row in higher if row["verdict"] == MATCHES]
            stated = PUBLISHED[way][network][place]
            words = f"{plain(network).capitalize()}, {way}, {measure}: {plus_minus(base)} under "
            words += f"the base, {stated.mean:.1f} ± {stated.deviation:.1f} in the paper. "
            if not higher:
                words += f"None of {len(tried)} other readings raises it by more than chance."
            else:
                higher.sort(key=lambda row: -row["mean"])
                shown = [f"“{row['reading']}” ({plus_minus(row)})" for row in higher[:3]]
                words += f"Raised by more than chance by {list_text(shown)}; "
                words += f"{len(matching)} of {len(tried)} readings explain it."
            said.append(words)
    chance = (
        f"Each comparison with the base is made at {100 * LEVEL:.0f}%: of so many readings, one or "
        "another is raised by chance."
    )
    return [*said, _joint_words(found, names), chance]


def _joint_words(found: Judged, names: Sequence[str]) -> str:
    """Whether one reading explains all four of its figures at once."""
    network, number = SMALL[0], len(WAYS) * len(MEASURES)

    def within(name: str, networks: Sequence[str]) -> list[bool]:
        return [
            row["two_deviations"] == WITHIN
            for row in found
            if row["reading"] == name and row["network"] in networks
        ]

    whole = [name for name in names if within(name, (network,)) == [True] * number]
    if not whole:
        return (
            f"No single reading brings all {number} figures of the {plain(network)} network within "
            "two deviations."
        )
    others = [name for name in NETWORKS if name != network]
    words = [
        f"“{name}”"
        + (
            f" ({sum(within(name, others))} of the {len(within(name, others))} figures of the "
            "other networks)"
            if within(name, others)
            else ""
        )
        for name in whole
    ]
    base = within(BASE, others)
    return (
        f"All {number} figures of the {plain(network)} network are within two deviations with "
        f"{list_text(words)}; under the base {sum(base)} of {len(base)} of the others' are."
    )
