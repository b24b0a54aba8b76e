"""The figures on the hybrid paper's page, and what is to be seen in them."""

from __future__ import annotations

from inarow.papers.hybrid import GAMES, MOST_GAMES, STRATEGIES, WINDOW
from inarow.papers.hybrid_report import crossing
from inarow.papers.page import Part, Picture, Section, list_text
from inarow.papers.results import Results

CAPTIONS = {
    "utilities": "Learned utilities in three games",
    "histograms": "Loss ratio of the runs after so many games, attack-defense",
    "loss-ratio": "Share of games lost in training",
    "loss-ratio-enlarged": "The same after 100,000 games",
    "games-lost": "Games lost so far",
    "against-random": "A million test games against the random player",
    "against-expert": "Test games against the expert",
}
# For each game, its figures: the paper's number and what it shows.
FIGURES = {
    "tictactoe": (
        (3, "utilities"), (4, "histograms"), (5, "loss-ratio"), (6, "loss-ratio-enlarged"),
        (7, "games-lost"), (8, "against-random"), (9, "against-expert"),
    ),
    "connect4:4x4": (
        (10, "loss-ratio"), (11, "loss-ratio-enlarged"), (12, "games-lost"),
        (13, "against-random"), (14, "against-expert"),
    ),
}  # fmt: skip


def played(results: Results) -> list[str]:
    """The games that the results hold."""
    return [game for game in GAMES if any(row["game"] == game for row in results.rows)]


def figure_sections(results: Results, figures: str) -> list[Section]:
    """A section for each game that was run."""
    stem = f"{figures}/{results.paper}-{results.part}-figure"
    sections = [Section("Figures")]
    for game in played(results):
        parts = list[Part]()
        for place, name in FIGURES[game]:
            if name == "utilities" and "example_games" not in results.facts:
                continue
            caption = f"Figure {place}. {CAPTIONS[name]}"
            parts += [Picture(f"{stem}-{place}-{name}.svg", caption), f"*{caption}.*"]
            words = _words(results, game, name)
            if words:
                parts.append(words)
        sections.append(Section(GAMES[game], tuple(parts), level=3))
    return sections


def _words(results: Results, game: str, name: str) -> str:
    """What is to be seen in a figure."""
    cells = {row["strategy"]: row for row in results.rows if row["game"] == game}
    if name == "utilities":
        trained = results.facts["example_games"]
        return (
            f"An agent trained by attack-defense for {trained['training_games']:,} games (seed "
            f"{trained['seed']}); the opponent opens as said and then plays as the expert does. "
            "Utilities near zero are of positions that were seldom or never met since the agent "
            "came to prefer another move: they are no estimates."
        )
    if name == "histograms":
        return (
            "The line is the mean over the runs, the band its 95% bootstrap interval; above, both "
            "as numbers."
        )
    if name == "loss-ratio" and {"attack-defense", "random"} <= set(cells):
        crossings = [
            f"after {found:,} games" if found else "nowhere"
            for found in (crossing(cells), crossing(cells, 1_000))
        ]
        return (
            "Attack-defense begins worse than random and falls below it "
            f"{crossings[0]}, counted in the last {WINDOW:,} games; {crossings[1]}, counted in the "
            "last 1,000."
        )
    if name == "games-lost":
        lost = {strategy: cells[strategy]["curve"]["lost"][-1] for strategy in cells}
        said = [
            f"{lost[strategy]:,.0f} ({strategy})" for strategy in STRATEGIES if strategy in lost
        ]
        return (
            f"Lost until the end of training, at most {MOST_GAMES:,} games: {list_text(said)}. A "
            "run that has stopped loses no more."
        )
    return ""
