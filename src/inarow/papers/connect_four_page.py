"""The documentation page of the Connect Four paper, written from stored results.

Abegg and Buhite, "Exploring Minimax and Temporal Difference Learning for Connect Four". The words
are here; every number that the results hold is read from them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from inarow.papers import (
    connect_four_seeds_report,
    connect_four_tdl_report,
    connect_four_trainers,
)
from inarow.papers.connect_four import (
    DEPTH,
    FIGURE_1,
    NAIVE,
    OURS,
    REPEATS,
    SHORT,
    Run,
    runs_of,
)
from inarow.papers.connect_four_report import (
    board_table,
    depth_table,
    growth_exponent,
    is_same_game,
    length_table,
    naive_table,
    notes,
    paper_runs,
    verdict_table,
    verdicts,
)
from inarow.papers.page import (
    Code,
    Numbered,
    Page,
    Picture,
    Section,
    bytes_text,
    list_text,
    ratio_text,
    seconds_text,
)
from inarow.papers.results import Results

TITLE = "Exploring Minimax and Temporal Difference Learning for Connect Four"


def page(
    results: Results,
    pair: Results | None = None,
    sweep: Results | None = None,
    ten: Results | None = None,
    trainers: Results | None = None,
    seeds: Results | None = None,
    figures: str = "figures",
) -> Page:
    """The whole page; `figures` is the folder of the figures, seen from it.

    What was found of the TDL half is added where it is stored.
    """
    runs = runs_of(results)
    return Page(
        f"Connect Four: “{TITLE}”",
        (
            "Nick Abegg and Jake Buhite. First the paper's minimax half: two agents "
            "play each other on ever larger boards. "
            "`src/inarow/papers/connect_four.py` runs it, `src/inarow/search/` is the agent. Then "
            "its TDL half, held against perfect play: `connect_four_pair_work.py` and "
            "`connect_four_tdl.py` run it, `src/inarow/learn/ntuple.py` is the learner.",
        ),
        (
            _paper_section(),
            _run_section(results),
            _verdict_section(results),
            _time_section(results, runs, figures),
            _memory_section(results, runs, figures),
            _naive_section(runs),
            _depth_section(results, runs, figures),
            _figure_1_section(results),
            Section("Differences", (Numbered(_differences()),)),
            Section("Slips found in the paper", (Numbered(_slips(runs)),)),
            *connect_four_tdl_report.sections(pair, sweep, ten),
            *([connect_four_trainers.section(trainers)] if trainers else []),
            *([connect_four_seeds_report.section(seeds)] if seeds else []),
        ),
        "python docs/make_pages.py",
    )


def _paper_section() -> Section:
    return Section(
        "What the paper did",
        (
            "Two minimax agents with alpha-beta, written in C++, play one whole game on each of "
            f"thirteen boards, from 6x7 (rows x columns) in steps of two to 30x31. Each looks "
            f"{DEPTH} moves ahead. A won position is worth 9,999,999, adjusted so that nearer wins "
            "count more; a tie 0; at the horizon each three with its fourth cell empty counts "
            "1000 and each two with both other cells empty 100, own minus the opponent's. The "
            "paper plots the time of a game (its Figure 2) and the heap allocated in all "
            "(Figure 3), and states a number for the largest board only. Other depths are named "
            "as future work.",
        ),
    )


def _run_section(results: Results) -> Section:
    made = results.made_with
    return Section(
        "What was run",
        (
            "The same games with `inarow.search`; the same again with a naive program, compiled "
            "likewise, which does what the paper's text describes; and our search at other "
            "depths. Every game is a pure function of board and depth: nothing is random.",
            Code(
                (
                    results.command,
                    f"cp results/{results.name} docs/results/",
                    "python docs/make_pages.py",
                )
            ),
            f"Seconds are CPU time after compilation, for a game of under {SHORT:.0f} s the least "
            f"of {REPEATS}. Made with inarow {made['inarow']}, Python {made['python']}, Numba "
            f"{made['numba']} on {made['system']}, {made['processor']}. "
            "`--scale quick` runs the five smallest boards in seconds.",
            board_table(runs_of(results)),
            "*held* is the memory of both agents, all of it made before the first move; *in all* "
            "adds what is allocated later, which is the position that each move hands over.",
        ),
    )


def _verdict_section(results: Results) -> Section:
    found = verdicts(results)
    reasons: dict[str, list[str]] = {}
    for verdict in found:
        if verdict.reason:
            reasons.setdefault(verdict.reason, []).append(verdict.published.metric)
    why = tuple(f"*{list_text(metrics)}*: {reason}." for reason, metrics in reasons.items())
    return Section(
        "Ours against theirs", (verdict_table(found), "Why ours differs:", Numbered(why))
    )


def _time_section(results: Results, runs: Sequence[Run], figures: str) -> Section:
    games = paper_runs(runs)
    slowest = max(games, key=lambda run: run.seconds)
    return Section(
        "Figure 2: time",
        (
            Picture(f"{figures}/{results.paper}-{results.part}-figure-2-time.svg", "Time by board"),
            f"The longest game takes {seconds_text(slowest.seconds)}, on {slowest.board}. Time is "
            f"not monotone in the size of the board: from one board to the next it falls "
            f"{_falls(games, lambda run: run.seconds)} of {len(games) - 1} times, because games "
            f"last from {min(run.moves for run in games)} to {max(run.moves for run in games)} "
            "moves. Time a move says more about the search; it falls "
            f"{_falls(games, lambda run: run.ms_a_move)} times.",
        ),
    )


def _memory_section(results: Results, runs: Sequence[Run], figures: str) -> Section:
    largest = paper_runs(runs)[-1]
    traced = largest.traced_peak_bytes
    measured = f", {bytes_text(traced)} with all of Python's objects, as traced" if traced else ""
    process = max(run.process_peak_bytes or 0 for run in runs)
    return Section(
        "Figure 3: memory",
        (
            Picture(
                f"{figures}/{results.paper}-{results.part}-figure-3-memory.svg", "Memory by board"
            ),
            f"On {largest.board} ours holds {bytes_text(largest.held_bytes)} at most{measured}, "
            f"and allocates {bytes_text(largest.allocated_bytes)} in all. It is the table of lines "
            "and, for each agent, the counts of every line and cell: they grow with the number of "
            "cells, and only a few rows grow with the depth. The whole process, with Python, the "
            f"compiler and the naive program, peaked at {bytes_text(process)} in this study.",
        ),
    )


def _naive_section(runs: Sequence[Run]) -> Section:
    naive, ours = paper_runs(runs, NAIVE), {run.board: run for run in paper_runs(runs)}
    ratios = [run.ms_a_move / ours[run.board].ms_a_move for run in naive]
    same = sum(is_same_game(run, ours[run.board]) for run in naive)
    exponents = growth_exponent(runs, NAIVE), growth_exponent(runs, OURS)
    fitted = (
        f" Positions visited for a move grow as columns^{exponents[0]:.1f} in the naive program "
        f"(over {len(naive)} boards) and as columns^{exponents[1]:.1f} in ours (over {len(ours)}), "
        f"which places no stone near the horizon; the paper expects {DEPTH / 2:.0f} to {DEPTH} for "
        "the exponent."
        if exponents[0] and exponents[1]
        else ""
    )
    return Section(
        "The naive twin",
        (
            "The naive program tries columns from left to right and counts all lines of the "
            "board at every leaf. Ours keeps the counts with each stone, reads a leaf's value off "
            "without visiting it, and looks at likely good moves first; alpha-beta then sees fewer "
            f"positions. Both choose the same moves in {same} of {len(naive)} finished games.",
            naive_table(runs),
            f"Ours is {ratio_text(min(ratios))} (on {naive[0].board}) to {ratio_text(max(ratios))} "
            f"as fast a move.{fitted}",
        ),
    )


def _depth_section(results: Results, runs: Sequence[Run], figures: str) -> Section:
    board = paper_runs(runs)[-1].board
    own = [r for r in runs if r.program == OURS and r.board == board and r.finished]
    low, high = (pick(own, key=lambda run: run.depth) for pick in (min, max))
    factor = (high.positions_a_move / low.positions_a_move) ** (1 / (high.depth - low.depth))
    return Section(
        "Other depths",
        (
            Picture(f"{figures}/{results.paper}-{results.part}-depths.svg", "Time by depth"),
            "The paper's future work. CPU milliseconds a move:",
            depth_table(runs),
            f"On {board}, from depth {low.depth} to {high.depth}, one more move of depth "
            f"multiplies the positions of a move by {factor:.1f} on average; perfectly ordered "
            f"alpha-beta alone would need the root of the columns, {high.columns**0.5:.1f}, and "
            f"plain minimax {high.columns}. Ours searches a single reply where one is forced, and "
            "places no stone near the horizon. At small depths most of the time is Python's, "
            "around the search. Memory grows by a few rows with the depth: "
            f"{bytes_text(low.held_bytes)} to {bytes_text(high.held_bytes)} there.",
            "Deeper agents play other games. Moves until the end; the first wins (+), the second "
            "(-), or a draw (=):",
            length_table(runs),
        ),
    )


def _figure_1_section(results: Results) -> Section:
    looked = results.facts["figure_1"]
    return Section(
        "Figure 1: an example game",
        (
            "The paper shows the end of one game, “AI vs AI”, without its moves:",
            Code(FIGURE_1, "text"),
            f"The board is sound: 19 stones each, and the second's last stone completes a "
            f"diagonal. Which agents play is not said. All pairs of our agents with depths 1 to "
            f"{looked['deepest']} and {looked['orders']} orders among equal moves were tried, "
            f"mirror images included: {notes(results)[0]} So the game does not reproduce, and its "
            "last moves say why one should not expect it to: if the loser looks two moves ahead, "
            "he had lost in columns 1 and 5 alike and took column 5, so that the first best move "
            "from the left is not the rule there.",
        ),
    )


def _differences() -> tuple[str, ...]:
    return (
        "The pseudocode is read as what is meant, not as printed (see the slips): the first best "
        "move is kept, columns from left to right, and the loop ends where alpha reaches beta.",
        "A win is adjusted by the moves until then, in the paper by the depth left. Both prefer "
        "the nearer win.",
        "“Three in a row” is read as three stones of one side and an empty cell on one line of "
        "four, the empty cell anywhere among them; likewise for two.",
        "The order in which moves are looked at is ours; the move chosen is as if columns were "
        "tried from left to right, which the naive twin confirms.",
        "Memory is counted by the arrays that the program makes. The paper's is Valgrind's total "
        "of the heap; neither counts the program itself.",
        "Seconds are CPU time after compilation, the paper's are wall time of a C++ program, on "
        "a machine that it does not name.",
    )


def _slips(runs: Sequence[Run]) -> tuple[str, ...]:
    games = paper_runs(runs)
    return (
        "MAXVAL raises the best value before it compares with it, so that as printed its best "
        "move never changes from the first one; so does MINVAL.",
        "Alpha and beta are updated, and the cut-off is tested, after the loop over moves, where "
        "there is nothing left to cut.",
        "No move is taken back after ADDMOVE, and UTILITY returns one value where the callers "
        "take the first of a pair.",
        "The 1.1 GB are all bytes ever allocated, not what is held at a time. That sum grows with "
        "the positions visited, so that Figure 3 is a second measure of time and cannot support "
        "the space complexity O(bd).",
        "The time of a game is the product of its length, the positions visited for a move and "
        "the cost of one, and all three change with the board. Games last from "
        f"{min(run.moves for run in games)} to {max(run.moves for run in games)} moves here; a "
        "curve of time over boards alone says little about O(b^(d/2)) against O(b^d).",
    )


def _falls(games: Sequence[Run], quantity: Callable[[Run], float]) -> int:
    """How often a quantity is less than on the board before."""
    return sum(quantity(after) < quantity(before) for before, after in pairwise(games))
