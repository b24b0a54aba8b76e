"""The Connect Four paper's TDL half held against perfect play: verdicts, tables, figure, words.

The paper states one number, the score of 80 at which training ends; Figure 4 draws scores without
values that can be read off. So what is judged is that the rule ends training, and that scores go
up and down as the paper says.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING, Any

from inarow.lab.look import BLUE, GREY, ORANGE, save_figures
from inarow.lab.statistics import summary
from inarow.papers.connect_four_pair import ALPHA, EPSILON, EVALUATED, EVERY, FALL, TARGET
from inarow.papers.connect_four_pair_work import SAVED
from inarow.papers.page import Code, Part, Picture, Section, Table, list_text
from inarow.papers.results import Published, Results, Verdict, judge

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIGURE_4 = "connect-four-tdl-figure-4"
_CHANCE = "after the games that were allowed some pairs had not met the rule yet"


def papers_rows(results: Results) -> list[dict[str, Any]]:
    """The pairs that were evaluated as in the paper, without a referee."""
    return [row for row in results.rows if row.get("referee") is None]


def verdicts(results: Results) -> list[Verdict]:
    """What the paper states of its training, with ours beside it."""
    rows = papers_rows(results)
    done = [row for row in rows if row["done"]]
    stated = [
        (
            Published(
                "runs that end by the rule", "6x7", "training ended", "section IV-D",
                1.0, 1.0, 1.0, "share", _CHANCE,
            ),
            len(done) / len(rows),
        ),
        (
            Published(
                "score at the end", "6x7", "at or above 80", "section IV-D",
                None, TARGET, float(EVALUATED), f"of {EVALUATED}",
            ),
            mean(row["scores"][-1] for row in done) if done else None,
        ),
        (
            Published(
                "mean change of score", "6x7", "sporadic fluctuations", "section V, Figure 4",
                None, low=5.0, unit="from one evaluation to the next",
            ),
            _mean_change(rows),
        ),
    ]  # fmt: skip
    return [judge(published, ours) for published, ours in stated]


def _mean_change(rows: Sequence[dict[str, Any]]) -> float | None:
    changes = [
        abs(after - before)
        for row in rows
        for before, after in zip(row["scores"], row["scores"][1:], strict=False)
    ]
    return mean(changes) if changes else None


def tables(results: Results) -> list[Table]:
    """Verdicts, a row a seed, and what referees change."""
    return [verdict_table(results), seed_table(results), referee_table(results)]


def verdict_table(results: Results) -> Table:
    """Ours against theirs."""
    rows = [
        (
            v.published.metric, v.published.said, "-" if v.ours is None else f"{v.ours:.2f}",
            v.verdict,
        )
        for v in verdicts(results)
    ]  # fmt: skip
    columns = ("metric", "published", "ours", "verdict")
    return Table(columns, tuple(rows), "TDL: the paper and ours", texts=(0, 1, 3))


def seed_table(results: Results) -> Table:
    """When each pair's training ended, and what its first agent does against perfect play."""
    rows = []
    for row in papers_rows(results):
        perfect = row["perfect"]
        rows.append(
            (
                str(row["seed"]), f"{row['games']:,}", "yes" if row["done"] else "no",
                f"{row['scores'][-1]:g}", f"{row['seconds']:.0f}",
                f"{perfect['wins']} / {perfect['draws']} / {perfect['losses']}",
            )
        )  # fmt: skip
    columns = ("seed", "games", "by the rule", "last score", "CPU s", "perfect play: + / = / -")
    return Table(columns, tuple(rows), "Two TDL agents that train each other", texts=(2,))


def referee_table(results: Results) -> Table:
    """What comes of the rule where a referee plays the games of evaluation."""
    rows = []
    for referee, pairs in by_referee(results).items():
        scores, most = (
            [score_of(row["perfect"]) for row in pairs],
            [max(r["scores"]) for r in pairs],
        )
        rows.append(
            (
                referee,
                f"{sum(row['done'] for row in pairs)} of {len(pairs)}",
                f"{mean(row['games'] for row in pairs):,.0f}",
                f"{mean(row['scores'][-1] for row in pairs):.1f}", f"{max(most):g}",
                f"{mean(scores):.3f}", f"{max(scores):.3f}",
            )
        )  # fmt: skip
    columns = (
        "referee", "ended by the rule", "mean games", "mean last score", "highest score",
        "against perfect play", "the best",
    )  # fmt: skip
    return Table(columns, tuple(rows), "Referees", texts=(0,))


def by_referee(results: Results) -> dict[str, list[dict[str, Any]]]:
    """The pairs, by who plays the games of evaluation."""
    referees: dict[str, list[dict[str, Any]]] = {}
    for row in results.rows:
        referee = row.get("referee")
        referees.setdefault(f"`{referee}`" if referee else "the other agent", []).append(row)
    return referees


def referee_note(results: Results) -> str:
    """The plain statement of what referees change."""
    ended, scored = list[str](), list[str]()
    for referee, pairs in by_referee(results).items():
        ended.append(f"{sum(row['done'] for row in pairs)} of {len(pairs)} with {referee}")
        scored.append(f"{mean(score_of(row['perfect']) for row in pairs):.3f}")
    return (
        f"So the rule ended the training of {list_text(ended)}. Moving first against perfect play "
        f"their agents score {list_text(scored)}: a referee only says when training ends, and "
        "pairs whose training no referee ends are the same with each."
    )


def notes(results: Results) -> list[str]:
    """The plain statement."""
    games, rows = results.facts["games against perfect play"], papers_rows(results)
    scores = [score_of(row["perfect"]) for row in rows]
    won = sum(row["perfect"]["wins"] for row in rows)
    by_rule = [score_of(row["perfect"]) for row in rows if row["done"]]
    ended = f"those that ended by it {mean(by_rule):.3f}; " if by_rule else ""
    return [
        "The paper's rule says nothing about strength. Moving first against perfect play, "
        f"{games} games each, its agents score {mean(scores):.3f} (win 1, draw 1/2; {ended}the "
        f"best {max(scores):.3f}) and win {won} of {games * len(scores)} games. Perfect play "
        "in that seat wins all."
    ]


def score_of(perfect: dict[str, int]) -> float:
    """Win 1, draw 1/2."""
    return (perfect["wins"] + perfect["draws"] / 2) / sum(perfect.values())


def figures(results: Results, folder: Path) -> list[Path]:
    """Figure 4: the score over the games of training."""
    return save_figures({FIGURE_4: lambda figure: draw_scores(figure, results)}, folder)


def draw_scores(figure: Figure, results: Results) -> None:
    """All pairs, the first to meet the rule in colour."""
    axes = figure.subplots()
    rows = papers_rows(results)
    shown = next((row for row in rows if row["done"]), rows[0])
    for row in rows:
        games = [EVERY * (number + 1) / 1000 for number in range(len(row["scores"]))]
        if row is not shown:
            axes.plot(games, row["scores"], color=GREY, alpha=0.25, linewidth=0.8)
        else:
            axes.plot(games, row["scores"], color=BLUE, label=f"seed {row['seed']}", zorder=3)
    axes.axhline(TARGET, color=ORANGE, linestyle="--", label="the paper's target")
    axes.set_xlabel("thousand games of training")
    axes.set_ylabel(f"score of {EVALUATED} games")
    axes.set_ylim(0, EVALUATED)
    figure.legend(loc="outside upper center", ncols=3)


def sweep_table(sweep: Results) -> Table:
    """The cells of the sweep: their scores moving first against perfect play, by seeds."""
    rows = [
        (text, " ".join(f"{score:.3f}" for score in scores), f"{mean(scores):.3f}",
         f"{min(scores):.3f}")
        for text, scores in scores_by_cell(sweep).items()
    ]  # fmt: skip
    return Table(("cell", "seeds", "mean", "lowest"), tuple(rows), "The sweep", texts=(0, 1))


def scores_by_cell(sweep: Results) -> dict[str, list[float]]:
    """The scores of all seeds, by what a cell has that the first has not."""
    cells: dict[str, list[float]] = {}
    base = _common(sweep)
    for row in sweep.rows:
        differs = {name: value for name, value in row["cell"].items() if base.get(name) != value}
        text = ", ".join(f"{name} {_text(value)}" for name, value in differs.items())
        cells.setdefault(text or "the first", []).append(row["figures"]["averaged score"])
    return cells


def _common(sweep: Results) -> dict[str, Any]:
    """The first cell: what the others differ from."""
    return dict(sweep.rows[0]["cell"])


def _text(value: Any) -> str:
    return f"{value[0]:g} to {value[1]:g}" if isinstance(value, list) else f"{value}"


def ten_seeds_table(ten: Results) -> Table:
    """A row a seed."""
    rows = [
        (
            str(row["seed"]), f"{row['figures']['averaged score']:.4f}",
            f"{row['figures']['averaged wins']:.0f}", f"{row['figures']['averaged losses']:.0f}",
            f"{row['figures']['last score']:.4f}", f"{row['figures']['training CPU-seconds']:.0f}",
        )
        for row in ten.rows
    ]  # fmt: skip
    columns = ("seed", "score", "won", "lost", "score of the last weights", "CPU s")
    return Table(columns, tuple(rows), "Ten seeds", texts=())


def sections(results: Results | None, sweep: Results | None, ten: Results | None) -> list[Section]:
    """The page's part on TDL, as far as results are stored."""
    found = []
    if results is not None:
        found.append(_paper_section(results))
    if sweep is not None and ten is not None:
        found.append(_own_section(sweep, ten))
    return found


def _paper_section(results: Results) -> Section:
    parts: tuple[Part, ...] = (
        "Two TDL agents, each with 70 random-walk tuples of 8 cells in one table of weights, train "
        f"each other. Every {EVERY:,} games {EVALUATED} more are played; training ends when the "
        f"first agent's score is at least {TARGET:.0f} and not above the two before it.",
        Code((results.command,)),
        "Left open by the paper and chosen here: the first agent always moves first; both explore "
        "in evaluations as in training, since the same game would be played a hundred times; the "
        f"share of an error that an update removes falls from {ALPHA[0]} to {ALPHA[1]} and the "
        f"share of random moves from {EPSILON[0]} to {EPSILON[1]} in {FALL:,} games; no discount, "
        f"and nothing is learned before a random move. A run has at most "
        f"{results.facts['most games']:,} games.",
        Picture(f"figures/{FIGURE_4}.svg", "Score over games of training"),
        verdict_table(results),
        seed_table(results),
        *notes(results),
        f"Both agents are saved every {SAVED:,} games.",
        *(_referee_parts(results) if len(papers_rows(results)) < len(results.rows) else ()),
    )
    return Section("Figure 4: temporal difference learning", parts)


def _referee_parts(results: Results) -> tuple[Part, ...]:
    return (
        "The paper's future work names minimax as referee. The same pairs again, with the games of "
        "evaluation against a referee: the first agent moves first and makes no random moves, "
        "and games against minimax begin with two, so that they differ. Scores against perfect "
        "play are those of the agents that training ended with:",
        referee_table(results),
        referee_note(results),
    )


def _own_section(sweep: Results, ten: Results) -> Section:
    scores = [row["figures"]["averaged score"] for row in ten.rows]
    last = [row["figures"]["last score"] for row in ten.rows]
    seconds = [row["figures"]["training CPU-seconds"] for row in ten.rows]
    games = ten.facts["games against perfect play"]
    found, cells = summary(scores), scores_by_cell(sweep)
    best = max(cells, key=lambda cell: mean(cells[cell]))
    base = ", ".join(f"{name} {_text(value)}" for name, value in _common(sweep).items())
    return Section(
        "TDL that holds against perfect play",
        (
            f"The score (win 1, draw 1/2) of {games} fresh games moving first against perfect "
            "play, which takes any of the best moves. A sweep chose the settings; the first cell "
            f"is {base}, the others differ from it as said:",
            Code((sweep.facts["command"],)),
            sweep_table(sweep),
            f"The highest mean has the cell with {best}. Its settings, with more games, are the "
            "defaults of `ntuple`. On ten seeds that chose nothing:",
            Code((ten.facts["command"],)),
            ten_seeds_table(ten),
            f"Mean {found.mean:.4f} (95% of means: {found.low:.4f} to {found.high:.4f}), lowest "
            f"{min(scores):.4f}; {min(seconds):.0f} to {max(seconds):.0f} CPU-seconds of training. "
            f"Without averaging the weights: mean {mean(last):.4f}, lowest {min(last):.4f}.",
            "[The agent that comes with the package](../agents/ntuple-6x7.md) has a page of its "
            "own.",
        ),
    )
