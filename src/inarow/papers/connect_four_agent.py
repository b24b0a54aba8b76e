"""The n-tuple agent that comes with the package: how it is made, measured, and described.

    python -m inarow.papers.connect_four_agent make [RUN.safetensors]
    python -m inarow.papers.connect_four_agent prove
    python -m inarow.papers.connect_four_agent measure

The first trains it, or takes the games against itself from a run, corrects it until it wins all
games against perfect play (`connect_four_agent_make`), and measures it. The second walks through
all these games once more and says what comes out. The third does so, plays fresh games beside, and
stores what it finds; `docs/make_pages.py` makes the model card of it.
"""

from __future__ import annotations

import argparse
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from inarow.game import InputError
from inarow.game import game as game_of
from inarow.game.notation import moves_text
from inarow.lab.against_perfect_walk import ExactWalk, Walker
from inarow.lab.examine_perfect import play_perfect
from inarow.lab.match import Tally
from inarow.lab.players import SHIPPED_NTUPLE, player
from inarow.lab.training import Run, go_on, load_run
from inarow.learn.names import learner
from inarow.learn.saved import read_agent, write_agent
from inarow.papers.connect_four_agent_make import correct
from inarow.papers.page import Code, Page, Section, Table, bytes_text, list_text
from inarow.papers.results import Results, load, made_with, save

PART = "tdl-agent"
RESULTS = Path("docs/results")
GAME, OWN_GAMES, OWN_SEED = "connect4:6x7", 4_000_000, 20
DEPTHS = (1, 2, 3, 4, 5, 6, 7, 8)  # that it is corrected for, and proved with
# Players, seeds, and which of perfect play's replies are drawn from.
MEASURED = (
    ("ntuple", range(17001, 17011), "best"),
    ("ntuple:6", range(17001, 17011), "best"),
    ("ntuple", range(19001, 19051), "best"),
    ("ntuple", range(21001, 21011), "value"),
    ("ntuple:6", range(21001, 21011), "value"),
)
GAMES = 100  # for each seed


def make(path: Path | None = None) -> list[dict[str, Any]]:
    """Trains and corrects the agent, and writes it into the package; says what the rounds found.

    Only what it plays with is written, with numbers of 16 bits.
    """
    run = Run(GAME, "ntuple", None, None, OWN_SEED) if path is None else load_run(path)
    if path is None:
        go_on(run, OWN_GAMES)
    wanted = Run(GAME, "ntuple", None, None, OWN_SEED).header
    if run.header != replace(wanted, games=OWN_GAMES):
        raise InputError(f"{path} is not what `{_commands(asdict(wanted), OWN_GAMES)[0]}` makes")
    run.export(SHIPPED_NTUPLE, half=True)
    header, arrays = read_agent(SHIPPED_NTUPLE)
    correction, rounds = correct(load_run(SHIPPED_NTUPLE).agent, DEPTHS)
    write_agent(SHIPPED_NTUPLE, header, corrected(arrays, correction.weights))
    return rounds


def corrected(arrays: dict[str, Any], weights: Any) -> dict[str, Any]:
    """The arrays of an agent with other weights in the place of its averages."""
    return {**arrays, "averages": weights.astype(np.float16)}


def prove(depths: tuple[int, ...] = DEPTHS) -> list[dict[str, Any]]:
    """All games moving first against all best replies of perfect play, a row for each depth."""
    walker, rows = Walker(game_of(GAME)), list[dict[str, Any]]()
    for depth in depths:
        name = "ntuple" if depth == 1 else f"ntuple:{depth}"
        rows.append({"player": name, **as_json(walker.walk(player(name)))})
        print(_proof_text(rows[-1]), flush=True)
    return rows


def as_json(walk: ExactWalk) -> dict[str, Any]:
    """A walk as it is stored."""
    win, draw, loss = walk.chances
    games = [None if line is None else moves_text(game_of(GAME), line) for line in walk.games]
    return {
        "replies": walk.replies,
        "positions": walk.positions,
        "worst": ("win", "draw", "loss")[walk.worst],
        "chances": {"win": win, "draw": draw, "loss": loss},
        "games": dict(zip(("win", "draw", "loss"), games, strict=True)),
        "mistakes": len(walk.mistakes),
    }


def _proof_text(row: dict[str, Any]) -> str:
    chances = ", ".join(f"{name} {chance:.6f}" for name, chance in row["chances"].items())
    return (
        f"{row['player']}: a {row['worst']} at worst; {chances}; {row['mistakes']} mistakes in "
        f"{row['positions']:,} positions"
    )


def measure(rounds: list[dict[str, Any]], games: int = GAMES) -> Results:
    """All games, and a sample of them as people would play it, with and without search."""
    rows = []
    for name, seeds, replies in MEASURED:
        agent, tally, mistakes = player(name), Tally(), dict[int, list[int]]()
        for seed in seeds:
            found, wrong = play_perfect(agent, games, 0, seed, replies)
            tally += found
            for stones, counted in wrong.items():
                before = mistakes.get(stones, [0, 0])
                mistakes[stones] = [before[0] + counted[0], before[1] + counted[1]]
        rows.append(
            {
                "player": name,
                "replies": replies,
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
        "exact": prove(),
        "rounds": rounds,
    }
    return Results("connect-four", PART, "paper", rows, facts, made_with())


def card(results: Results) -> Page:
    """The model card."""
    header, exact = results.facts["header"], results.facts["exact"]
    return Page(
        "The agent `ntuple`: Connect Four on 6x7",
        (
            "An n-tuple network that has learned from its own games and was then corrected where "
            "perfect play beat it. `inarow play connect4:6x7 --against ntuple` plays it; "
            "`ntuple:6` looks six moves ahead. It plays no other board.",
        ),
        (
            Section("How it was made", (Code(_commands(header)), *_words(results))),
            Section(
                "How it plays",
                (
                    _exact_words(exact),
                    exact_table(exact),
                    Code(("python -m inarow.papers.connect_four_agent prove",)),
                    "`inarow certify ntuple connect4:6x7` walks through the same games.",
                    "That says nothing of other opponents. Perfect play moving second is lost, and "
                    "here takes any of the moves that resist longest (`best`). Where only the "
                    "value must be kept, a lost side may play any move (`value`): those games are "
                    "too many to walk through, and in them the agent meets positions for which "
                    "nothing was corrected. Fresh games of both kinds, a hundred for each seed, "
                    "as anyone can play them:",
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
                    f"{bytes_text(results.facts['bytes'])}: the averaged and corrected weights, as "
                    "numbers of 16 bits, and how they were trained. It holds no state of training: "
                    "`inarow train --resume` says that it cannot go on.",
                ),
            ),
        ),
        "python docs/make_pages.py",
    )


def _exact_words(exact: list[dict[str, Any]]) -> str:
    always = [f"`{row['player']}`" for row in exact if row["worst"] == "win"]
    start = (
        "The agent answers a position always alike, or draws between moves it likes equally, and "
        "perfect play draws among its best moves. So all games moving first can be walked through, "
        "each position once, and what comes out is no sample: "
    )
    if len(always) == len(exact):
        return f"{start}it wins every one of them, alone and with each depth of search."
    return f"{start}{list_text(always) or 'none of these'} wins every one of them."


def exact_table(exact: list[dict[str, Any]]) -> Table:
    """What all games come to, exactly."""
    rows = [
        (
            f"`{row['player']}`", f"{row['positions']:,}",
            *(f"{100 * row['chances'][end]:.6g}%" for end in ("win", "draw", "loss")),
            str(row["mistakes"]), row["worst"],
        )
        for row in exact
    ]  # fmt: skip
    columns = ("player", "positions", "won", "drawn", "lost", "mistakes", "at worst")
    return Table(columns, tuple(rows))


def changed_options(header: dict[str, Any]) -> dict[str, Any]:
    """The options that are not the learner's defaults."""
    usual = learner(header["learner"])
    names = [field.name for field in fields(usual)]
    options = header["options"]
    return {name: options[name] for name in names if options[name] != getattr(usual, name)}


def _commands(header: dict[str, Any], games: int | None = None) -> tuple[str, ...]:
    made = f"inarow train {header['game']} {header['learner']}"
    settings = "".join(f" --set '{k}={v}'" for k, v in changed_options(header).items())
    return (
        f"{made} --games {games or header['games']} --seed {header['seed']}{settings} "
        "--out run.safetensors",
        "python -m inarow.papers.connect_four_agent make run.safetensors",
    )


def _words(results: Results) -> tuple[str, ...]:
    header, rounds = results.facts["header"], results.facts["rounds"]
    options, first = header["options"], rounds[0]["mistakes"]
    alone, made = first["1"], sum(found["corrections"] for found in rounds)
    won, _, lost = rounds[0]["chances"]["1"]
    return (
        f"{options['tuples']} tuples of {options['length']} cells, {header['games']:,} games "
        f"against itself, TD(lambda {options['trace']:g}) with a discount of "
        f"{options['gamma']:g} a move, averaged weights. Both the seed and the length of the run "
        "were chosen by games against perfect play with other seeds than those below.",
        f"Moving first against perfect play this network won {100 * won:.1f}% of all games and "
        f"lost {100 * lost:.2f}%. A walk through all of them found every position where it gives "
        f"something away: {alone} without search, and "
        f"{sum(first.values()) - alone} more with searches of {min(map(int, first)) + 1} to "
        f"{max(map(int, first))} moves. In each of them the weights were changed by the least that "
        "makes a right move look better than the wrong one, with a margin; then all games were "
        f"walked through again. After {len(rounds) - 1} rounds and {made:,} corrections no "
        "mistake was left. Without a run, `make` plays the games itself.",
    )


def score_table(results: Results) -> Table:
    """Wins, draws and losses."""
    rows = [
        (
            f"`{r['player']}`",
            f"`{r['replies']}`",
            f"{r['seeds'][0]} to {r['seeds'][1]}",
            f"{r['games']:,}",
            str(r["wins"]),
            str(r["draws"]),
            str(r["losses"]),
        )
        for r in results.rows
    ]
    columns = ("player", "replies", "seeds", "games", "won", "drawn", "lost")
    return Table(columns, tuple(rows), texts=(0, 1))


def mistake_table(results: Results) -> Table:
    """Mistakes by stones."""
    stones = list(results.rows[0]["mistakes"])
    rows = []
    for row in results.rows:
        counts = [row["mistakes"].get(s, [0, 0]) for s in stones]
        shares = (f"{wrong} of {asked:,}" for asked, wrong in counts)
        rows.append((f"`{row['player']}`", f"`{row['replies']}`", *shares))
    columns = ("player", "replies", *(f"from {s}" for s in stones))
    return Table(columns, tuple(rows), texts=(0, 1))


def main() -> None:
    """Makes, proves or measures."""
    parser = argparse.ArgumentParser(description="The n-tuple agent of the package.")
    parser.add_argument("what", choices=("make", "prove", "measure"))
    parser.add_argument("run", type=Path, nargs="?", help="its games against itself, to go on from")
    options = parser.parse_args()
    if options.what == "make":
        rounds = make(options.run)
    elif options.what == "prove":
        prove()
        return
    else:
        rounds = load(RESULTS / f"connect-four-{PART}.json").facts["rounds"]
    print(save(measure(rounds), RESULTS))


if __name__ == "__main__":
    main()
