"""The n-tuple agent that comes with the package: how it is made, measured, and described.

    python -m inarow.papers.connect_four_agent export RUN.safetensors
    python -m inarow.papers.connect_four_agent measure

The first writes the agent of a training run into the package, the second plays fresh games against
perfect play and stores what it finds; `docs/make_pages.py` makes the model card of it.
"""

from __future__ import annotations

import argparse
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from inarow.game import InputError
from inarow.lab.examine_perfect import play_perfect
from inarow.lab.match import Tally
from inarow.lab.players import SHIPPED_NTUPLE, player
from inarow.lab.training import load_run
from inarow.learn.names import learner
from inarow.learn.saved import read_agent
from inarow.papers.page import Code, Page, Section, Table, bytes_text
from inarow.papers.results import Results, made_with, save

PART = "tdl-agent"
# Players and seeds of games that chose nothing. The last is so long since losses are rare.
MEASURED = (
    ("ntuple", range(7001, 7011)),
    ("ntuple:6", range(7001, 7011)),
    ("ntuple", range(9001, 9051)),
)
GAMES = 100  # for each seed


def export(run: Path) -> None:
    """Writes only what the agent plays with, with numbers of 16 bits."""
    load_run(run).export(SHIPPED_NTUPLE, half=True)


def measure(games: int = GAMES) -> Results:
    """Games moving first against perfect play, with and without search."""
    rows = []
    for name, seeds in MEASURED:
        agent, tally, mistakes = player(name), Tally(), dict[int, list[int]]()
        for seed in seeds:
            found, wrong = play_perfect(agent, games, 0, seed)
            tally += found
            for stones, counted in wrong.items():
                before = mistakes.get(stones, [0, 0])
                mistakes[stones] = [before[0] + counted[0], before[1] + counted[1]]
        rows.append(
            {
                "player": name,
                "seeds": [seeds[0], seeds[-1]],
                "games": tally.games,
                "wins": tally.wins,
                "draws": tally.draws,
                "losses": tally.losses,
                "mistakes": {str(stones): found for stones, found in sorted(mistakes.items())},
            }
        )
    header, _ = read_agent(SHIPPED_NTUPLE)
    facts = {
        "header": asdict(header),
        "bytes": SHIPPED_NTUPLE.stat().st_size,
    }
    return Results("connect-four", PART, "paper", rows, facts, made_with())


def card(results: Results) -> Page:
    """The model card."""
    header = results.facts["header"]
    return Page(
        "The agent `ntuple`: Connect Four on 6x7",
        (
            "An n-tuple network that has learned from its own games alone. `inarow play "
            "connect4:6x7 --against ntuple` plays it; `ntuple:6` looks six moves ahead. It plays "
            "no other board.",
        ),
        (
            Section("How it was made", (Code(_commands(header)), *_words(header))),
            Section(
                "How it plays",
                (
                    "Moving first against perfect play, which takes any of its best moves, in "
                    "games that chose nothing, a hundred for each seed:",
                    score_table(results),
                    "Mistakes are moves that give away a won or drawn game, by the stones on the "
                    "board before them:",
                    mistake_table(results),
                    "Moving second it loses to perfect play, as everyone does.",
                    Code(("python -m inarow.papers.connect_four_agent measure",)),
                ),
            ),
            Section(
                "What the file holds",
                (
                    f"{bytes_text(results.facts['bytes'])}: the averaged weights, as numbers of 16 "
                    "bits, and how they were made. It holds no state of training: `inarow train "
                    "--resume` says that it cannot go on.",
                ),
            ),
        ),
        "python docs/make_pages.py",
    )


def changed_options(header: dict[str, Any]) -> dict[str, Any]:
    """The options that are not the learner's defaults."""
    usual = learner(header["learner"])
    names = [field.name for field in fields(usual)]
    options = header["options"]
    return {name: options[name] for name in names if options[name] != getattr(usual, name)}


def _commands(header: dict[str, Any]) -> tuple[str, ...]:
    made = f"inarow train {header['game']} {header['learner']}"
    settings = "".join(f" --set '{k}={v}'" for k, v in changed_options(header).items())
    return (
        f"{made} --games {header['games']} --seed {header['seed']}{settings} --out run.safetensors",
        "python -m inarow.papers.connect_four_agent export run.safetensors",
    )


def _words(header: dict[str, Any]) -> tuple[str, ...]:
    options = header["options"]
    return (
        f"{options['tuples']} tuples of {options['length']} cells, {header['games']:,} games "
        f"against itself, TD(lambda {options['trace']:g}) with a discount of "
        f"{options['gamma']:g} a move, averaged weights. Both the seed and the length of the run "
        "were chosen by games against perfect play with other seeds than those below.",
    )


def score_table(results: Results) -> Table:
    """Wins, draws and losses."""
    rows = [
        (
            f"`{r['player']}`",
            f"{r['seeds'][0]} to {r['seeds'][1]}",
            f"{r['games']:,}",
            str(r["wins"]),
            str(r["draws"]),
            str(r["losses"]),
        )
        for r in results.rows
    ]
    return Table(("player", "seeds", "games", "won", "drawn", "lost"), tuple(rows))


def mistake_table(results: Results) -> Table:
    """Mistakes by stones."""
    stones = list(results.rows[0]["mistakes"])
    rows = []
    for row in results.rows:
        counts = [row["mistakes"].get(s, [0, 0]) for s in stones]
        rows.append((f"`{row['player']}`", *(f"{wrong} of {asked:,}" for asked, wrong in counts)))
    return Table(("player", *(f"from {s}" for s in stones)), tuple(rows))


def main() -> None:
    """Exports or measures."""
    parser = argparse.ArgumentParser(description="The n-tuple agent of the package.")
    parser.add_argument("what", choices=("export", "measure"))
    parser.add_argument("run", type=Path, nargs="?", help="a saved training run, to export")
    options = parser.parse_args()
    if options.what == "export":
        if options.run is None:
            raise InputError("say which run is exported")
        export(options.run)
    else:
        print(save(measure(), Path("docs/results")))


if __name__ == "__main__":
    main()
