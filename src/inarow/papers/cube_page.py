"""The documentation page of the cube paper, written from stored results.

The words are here; every number that the results hold is read from them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from inarow.papers import cube_best, cube_readings_report
from inarow.papers.cube import (
    END_SHARE,
    OPPONENT,
    PAPER_GAMES,
    PAPER_TESTS,
    PAPER_TRIALS,
    TABLE_I,
    TEST_GAMES,
    TITLE,
    WAYS,
)
from inarow.papers.cube_claims import plain
from inarow.papers.cube_figures import NUMBERS, name_of
from inarow.papers.cube_readings import NETWORKS, READINGS
from inarow.papers.cube_report import (
    claims_table,
    match_words,
    networks_table,
    tests_table,
    way_tables,
)
from inarow.papers.cube_verdicts import counts, rows, with_readings
from inarow.papers.page import Code, Numbered, Page, Part, Picture, Section, Table, list_text
from inarow.papers.results import DIFFERS, Results


def page(
    results: Results,
    readings: Results | None = None,
    best: Results | None = None,
    figures: str = "figures",
) -> Page:
    """The whole page; `figures` is the folder of the figures, seen from it."""
    results = with_readings(results, readings)
    return Page(
        f"Cube: “{TITLE}”",
        (
            "Van de Steeg, Drugan and Wiering. `src/inarow/papers/cube.py` runs it, "
            "`src/inarow/learn/mlp.py` is the learner, `src/inarow/learn/network.py` its networks.",
        ),
        (
            _paper_section(),
            _run_section(results, readings, best),
            Section("The default reading", (DEFAULT_WORDS, Numbered(DEFAULT_READING))),
            *_table_sections(results),
            _figure_section(results, figures),
            *_reading_sections(readings),
            *_best_sections(best),
            Section("Differences", (Numbered(differences(results)),)),
        ),
        "python docs/make_pages.py",
    )


def _paper_section() -> Section:
    return Section(
        "What the paper did",
        (
            "Five value networks learn Tic-Tac-Toe 3D, four in a row in a cube of 4x4x4 where "
            "stones fall, by temporal differences: after each own move, the value of the position "
            "after the move before goes towards that of the new one, at the end towards +1 (won), "
            "-1 (lost) or 0. Two networks are *structured*: four units for each of the 76 lines, "
            "connected to its four cells only. A network learns in games against itself "
            "(*self-play*) or against a fixed player (*benchmark training*), and is tested "
            "against the latter: it looks at the moves in random order, wins if it can, else "
            "blocks, else takes the first move that lets nobody win on top of it.",
            f"A trial is {PAPER_GAMES:,} games. After every {PAPER_GAMES // PAPER_TESTS:,} come "
            f"{TEST_GAMES:,} test games without learning and exploring; draws count half. *Peak* "
            f"is the best of a trial's {PAPER_TESTS} tests, *end* the mean of its last "
            f"{END_SHARE * PAPER_TESTS:.0f}; the paper gives means and standard deviations of "
            f"{PAPER_TRIALS} trials.",
        ),
    )


def _run_section(results: Results, readings: Results | None, best: Results | None) -> Section:
    made = results.made_with
    stored = [found for found in (results, readings, best) if found is not None]
    names = " ".join(f"results/{found.name}" for found in stored)
    return Section(
        "What was run",
        (
            f"{results.rows[0]['trials']} trials of each network in both ways, "
            f"{max(results.rows[0]['curve']['games']):,} games each.",
            Code(
                (
                    *(found.command for found in stored),
                    f"cp {names} docs/results/",
                    "python docs/make_pages.py",
                )
            ),
            "A trial is a pure function of its seed, 0, 1, 2, ... The studies are kept in SQLite "
            "files in `results/` and go on where they were if stopped. Without `--scale paper` two "
            "short trials of each take under a minute; `--runs N` chooses how many. Made with "
            f"inarow {made['inarow']}, Python {made['python']}, Numba {made['numba']} on "
            f"{made['system']}, {made['processor']}.",
        ),
    )


DEFAULT_WORDS = (
    "The paper leaves several things open, and results hang on them. All figures of ours on this "
    "page, unless a reading is named, are made with the one below. It was chosen before this "
    "study, from single trials of many readings, because it alone came near to both tables: so "
    "where they agree with ours, that is in part by choice."
)
DEFAULT_READING = (
    "Units have biases, which begin and learn as weights do.",
    "The derivative of the scaled logistic is taken as 1-y^2 in every layer, as for tanh.",
    "The benchmark player draws a random order of the columns for each *game* and keeps it "
    f"(`{OPPONENT}`).",
    "The learner moves first in tests and in benchmark training.",
    "A move that wins at once is taken: its reward counts when moves are compared (Equation 2).",
    "The reward trains the terminal position and the winner's last one before it; the loser's last "
    "one is trained to -1.",
    "A position also learns from a random move after it.",
)


def _titled(tables: Iterable[Table]) -> list[Part]:
    """Tables with their titles above them."""
    return [part for table in tables for part in (f"**{table.title}**", table)]


def _table_sections(results: Results) -> list[Section]:
    judged = rows(results)
    by_way = []
    for way in WAYS:
        here = [row for row in judged if row.way == way]
        within, matching = counts(here)
        words = (
            f"{within} of {len(here)} within two deviations, {matching} of {len(here)} match by "
            "interval."
        )
        by_way.append(
            Section(way.capitalize(), (*_titled(way_tables(results, way)), words), level=3)
        )
    return [
        Section(
            "Ours against theirs",
            (
                match_words(judged),
                "Means ± standard deviations over the trials. *95%* is the bootstrap interval of "
                "our mean. *2 sd*: whether the published mean lies within two published "
                "standard deviations of ours. *interval*: whether it matches ours by Welch's "
                "t-test, which is stricter: it asks whether the two could be samples of the same "
                "trials.",
                *_titled([networks_table(results)]),
            ),
        ),
        *by_way,
        Section(
            "Comparisons and claims",
            (
                "Unpaired t-tests: what the paper says of p (*alike*: no significant difference), "
                "the difference and p worked out again from its own tables, and ours. s. is "
                "structured, u. unstructured.",
                *_titled(tests_table(results, way) for way in WAYS),
                *_titled([claims_table(results)]),
            ),
            level=3,
        ),
        *_why_sections(results),
    ]


def _why_sections(results: Results) -> list[Section]:
    why = tuple(
        f"*{plain(row.network).capitalize()}, {row.way}, {row.measure}* ({row.two_deviations} two "
        f"deviations): {row.mean:.1f} ± {row.deviation:.1f}, the paper {row.published:.1f} ± "
        f"{row.published_deviation:.1f}. {row.reason[:1].upper()}{row.reason[1:]}."
        for row in rows(results)
        if row.verdict == DIFFERS
    )
    return [Section("Why ours differs", (Numbered(why),), level=3)] if why else []


def _figure_section(results: Results, figures: str) -> Section:
    parts = list[Part]()
    for way in WAYS:
        caption = f"Figure {NUMBERS[way]}. Win rate against the benchmark player, {way}"
        parts += [Picture(f"{figures}/{name_of(results, way)}.svg", caption), f"*{caption}.*"]
    return Section(
        "Figures",
        (
            "Means over the trials. On the right the ends, with standard deviations: the paper's "
            "hollow, ours full.",
            *parts,
        ),
    )


def _reading_sections(readings: Results | None) -> list[Section]:
    if readings is None:
        return []
    summary, *by_way, small = cube_readings_report.tables(readings)
    first, *said = cube_readings_report.notes(readings)
    told = {row["reading"] for row in readings.rows}
    left_out = [plain(name) for name in TABLE_I if name not in NETWORKS]
    about = Table(
        ("reading", "what is changed"),
        tuple((r.name, r.about) for r in READINGS if r.name in told),
        texts=(0, 1),
    )
    return [
        Section(
            "Other readings",
            (
                "Each reading changes one of the choices above (or two, where it says so) and is "
                f"judged by the same figures: {readings.rows[0]['trials']} trials each, the same "
                f"seeds. The {list_text(left_out)} network, which takes most time, is left out. "
                "Where seats alternate, self-play is tested in both, with as many games in each: "
                "peaks of twice the games are a little lower.",
                about,
                *_titled([summary]),
                *said[:1],
                first,
                *_titled(by_way),
            ),
        ),
        Section(
            "The small structured network's shortfall",
            (
                "Some readings were tried for this network alone: its learning rate, the range of "
                "its first weights, and the exact derivative together with other changes.",
                *_titled([small]),
                *([Numbered(tuple(said[1:]))] if said[1:] else []),
            ),
            level=3,
        ),
    ]


def _short(value: object) -> str:
    """An option's value, its long fractions rounded."""
    return re.sub(r"[0-9]+\.[0-9]{9,}", lambda found: f"{float(found[0]):.6g}", str(value))


def _best_sections(best: Results | None) -> list[Section]:
    if best is None:
        return []
    about = Table(
        ("learner", "what it is", "options"),
        tuple(
            (
                row["name"],
                row["about"],
                ", ".join(f"`{name}={_short(value)}`" for name, value in row["options"].items()),
            )
            for row in best.rows
        ),
        texts=(0, 1, 2),
    )
    return [
        Section(
            "Beyond the paper",
            (
                "Which learner plays best after self-play alone? The test is not the default "
                "reading's: the benchmark player draws its order for each move "
                f"(`{cube_best.OPPONENT}`), and the learner moves first and second in turn. The "
                f"bar is {cube_best.BAR:.0f}% at the end.",
                about,
                *_titled([cube_best.table(best)]),
                *cube_best.notes(best),
            ),
        )
    ]


def differences(results: Results) -> tuple[str, ...]:
    """From the paper, as far as it says what it did."""
    biases = [network["biases"] for network in results.facts["networks"].values()]
    return (
        "The weight counts of Table I leave no room for biases; the default reading has them, "
        f"{min(biases)} to {max(biases)} of them beside the weights (“no biases” is a reading).",
        "Weights and sums are in single precision (`precision=double` is an option).",
        "Of moves with equal values the network takes the first. The paper does not say.",
        "Changes of layer sums are followed instead of passing all inputs forward for each move: "
        "the same values up to rounding, compared weight by weight with a plain program in the "
        "tests.",
        "Test games have random numbers of their own, drawn from the seed and the number of "
        "training games.",
    )
