"""The sections of the n-dimensional paper's page about its policy gradient."""

from __future__ import annotations

from inarow.papers.n_dimensional_policy import (
    BOARDS,
    DESCRIBED,
    FIVE,
    FOUR,
    LINE_TD,
    MOST_LINES,
    SOUND,
    TEST_GAMES,
    row_of,
    seconds_of,
    test_games,
)
from inarow.papers.n_dimensional_policy_claims import FOUR_GAMES, rows
from inarow.papers.n_dimensional_policy_figures import figure_name
from inarow.papers.n_dimensional_policy_report import (
    ABOUT,
    FIGURES,
    bar_table,
    ceiling_words,
    claim_table,
    end_table,
    figure_table,
    reasons,
    trained_on,
    yardstick_table,
)
from inarow.papers.page import (
    Code,
    Numbered,
    Part,
    Picture,
    Section,
    Table,
    list_text,
    seconds_text,
)
from inarow.papers.results import DIFFERS, MATCHES, Results


def sections(results: Results, figures: str) -> tuple[Section, ...]:
    """All about the policy gradient; `figures` is their folder, seen from the page."""
    return (
        _paper_section(),
        _run_section(results),
        _claim_section(results),
        *_figure_sections(results, figures),
        _learner_section(results, figures),
        Section("Policy gradient: what we asked of ourselves", (bar_table(results),)),
        Section("Policy gradient: differences", (Numbered(differences()),)),
    )


def _paper_section() -> Section:
    return Section(
        "Policy gradient: what the paper did",
        (
            "A network for a grid of any side and dimension: all cells as inputs, one hidden "
            "layer, leaky ReLU, and a softmax over all cells; of the allowed ones the most likely "
            "is played. +1 for a line made, -1 for one suffered, 0.8 for a drawn end; a position's "
            "reward is its own and 0.8 times that of the next. RMSprop, binary cross-entropy, "
            "batches of 1,000 from the last 5,000 positions. In two dimensions it is trained on "
            "random, in three and four on advanced, as first in half of the games.",
        ),
    )


def _run_section(results: Results) -> Section:
    made = results.made_with
    named = tuple((name, about) for name, about in ABOUT.items())
    return Section(
        "Policy gradient: what was run",
        (
            f"{_runs_words(results)} A share is games won, over all games, half of them as first; "
            "from three dimensions on the side with more lines wins, and equal numbers are a draw. "
            "In two dimensions shares are exact; from three on each look is "
            f"{TEST_GAMES[results.scale]:,} games against each opponent "
            f"({test_games(FIVE, results.scale):,} in five), with random numbers that no training "
            "saw. Intervals are 95%, by bootstrap over the runs.",
            Table(("learner", "what it is"), named, texts=(0, 1)),
            Code(
                (
                    results.command,
                    f"cp results/{results.name} docs/results/",
                    "python docs/make_pages.py",
                )
            ),
            "*As described* is `learn/reinforce_paper.py` (`reinforce` with `version=paper`), "
            "*sound* is `learn/reinforce.py`, line TD `learn/line_td.py`. Made with inarow "
            f"{made['inarow']}, Python {made['python']}, Numba {made['numba']} on "
            f"{made['system']}, {made['processor']}.",
        ),
    )


def _runs_words(results: Results) -> str:
    """How many runs there are of each learner."""
    most = max(row["runs"] for row in results.rows)
    fewer = [
        f"{row['runs']} of {row['variant']} in {BOARDS[row['board']]}"
        for row in results.rows
        if row["runs"] < most
    ]
    return f"{most} runs of each learner{f', but {list_text(fewer)}' if fewer else ''}."


def _claim_section(results: Results) -> Section:
    judged = [row for pair in rows(results) for row in pair if row is not None]
    run = [row for row in judged if row.verdict in (MATCHES, DIFFERS)]
    matching = sum(row.verdict == MATCHES for row in run)
    readings = Table(
        ("claim", "where", "read as"),
        tuple((row.metric, row.source, row.reading) for row, _ in rows(results)),
        texts=(0, 1, 2),
    )
    counted = results.facts["counts"]
    return Section(
        "Policy gradient: the paper's claims and ours",
        (
            f"{matching} of {len(run)} match, each version counted. A claim matches if our 95% "
            "interval reaches into the range that it is read as. With fewer than ten runs (“too "
            "few”) nothing is claimed.",
            claim_table(results),
            "How each is read:",
            readings,
            "Why ours differs:",
            Numbered(tuple(reasons(results))),
            "The state space that makes a table impossible in three dimensions has, by the paper's "
            f"formula, {counted['formula 3x3x3']:,} states, not the printed "
            f"{counted['formula 3x3x3, rounded']:,}: see “states counted” above.",
        ),
    )


def _figure_sections(results: Results, figures: str) -> list[Section]:
    found = [Section("Policy gradient: Figures 9 to 13", (ceiling_words(results),))]
    for number, (board, opponent) in FIGURES.items():
        if row_of(results, board, SOUND) is None:
            continue
        caption = (
            f"Figure {number}: {BOARDS[board]}, trained on {trained_on(board)}, tested against "
            f"{opponent}"
        )
        file = f"{figures}/{results.paper}-{results.part}-{figure_name(number)}.svg"
        parts: list[Part] = [Picture(file, caption), f"*{caption}; level lines are players that "
                             "learned nothing.*"]  # fmt: skip
        for version in (DESCRIBED, SOUND):
            table = figure_table(results, number, version)
            if table.rows:
                parts += [f"**{table.title}**", table]
        if number == 13:
            parts.append(_time_words(results))
        title = f"{BOARDS[board]} against {opponent}"
        found.append(Section(title, tuple(parts), level=3))
    return found


def _time_words(results: Results) -> str:
    """What the 21 hours come to."""
    times = [seconds_of(results, FOUR, version, FOUR_GAMES) for version in (DESCRIBED, SOUND)]
    said = [seconds_text(seconds) for seconds in times if seconds is not None]
    return (
        f"The paper's {FOUR_GAMES:,} iterations took 21 hours. One core here takes "
        f"{said[0]} as described, and {said[1]} for the sound version."
    )


def _learner_section(results: Results, figures: str) -> Section:
    caption = "Lines ahead of advanced, a game, over training"
    file = f"{figures}/{results.paper}-{results.part}-lines-ahead.svg"
    return Section(
        "Policy gradient: all learners, and players that learned nothing",
        (
            end_table(results),
            yardstick_table(results),
            f"*{MOST_LINES}* takes the free cell that most lines cross, whatever else lies on the "
            "board: all that a policy can learn without looking. *greedy-lines* completes as many "
            "lines as it can, and then does the same. In four dimensions both win nearly all "
            f"games against advanced, so a share of wins tells little there: {LINE_TD} is measured "
            "by lines.",
            Picture(file, caption),
            f"*{caption}.*",
        ),
    )


def differences() -> tuple[str, ...]:
    """From the paper, or beyond what it says."""
    return (
        "The size of the hidden layer (64), RMSprop's step size, how often a step is made (after "
        "each game) and how the reward enters the loss (as its weight) are ours: the paper does "
        "not say.",
        "An iteration is read as a game.",
        "The paper says once that the agent learns from games against random, and then, of three "
        "and four dimensions, against advanced: the figures' captions are followed.",
        "The sound version draws its moves, masks forbidden cells before the softmax, subtracts "
        "the mean return of a ply and rewards doubt a little; network, rewards, propagation and "
        "RMSprop are the paper's.",
        "The numbers of games are ours but for 20,000 in two dimensions and 100,000 in four.",
    )
