"""How games against the benchmark player are won: by two threats at once, or by what else.

It blocks a win that it sees, so a single threat does not win. Of each game that an agent wins the
threats are counted that it had when its opponent moved for the last time: cells that would have
completed a line. Where there was one, blocking it opened another on top of it; where there was
none, every move of the opponent opened one, since it avoids that as long as it can.
"""

from __future__ import annotations

from inarow.game import Position
from inarow.lab.matches.games import replay_all
from inarow.lab.matches.match import match
from inarow.lab.players.names import player
from inarow.lab.training.run import Run, continue_training
from inarow.papers.cube.study import DEEP, MOVE, TEST_GAMES
from inarow.papers.measures import Data, Label, Measure, Measured, ResultRow, from_values
from inarow.papers.study import PAPER as PAPER_SCALE
from inarow.papers.study import QUICK, TINY, Part, Request
from inarow.papers.tables import Made, PaperTable, Table

THREATS = "threats"
TWO, STACKED, FORCED = "two at once", "one above the other", "no safe move left"
KINDS = (TWO, STACKED, FORCED)
HALF = 50  # per cent of the wins
TRIALS = {TINY: 1, QUICK: 2, PAPER_SCALE: 5}
TRAINING = {TINY: 50, QUICK: 20_000, PAPER_SCALE: 200_000}
TESTS = {TINY: 20, QUICK: 200, PAPER_SCALE: TEST_GAMES}


def facts(request: Request) -> ResultRow:
    """Return how the deep structured network wins after training against the benchmark player."""
    first, scale = request.seed or 0, request.scale
    seeds = range(first, first + TRIALS[scale])
    trials = [trial(seed, TRAINING[scale], TESTS[scale]) for seed in seeds]
    return {"training": TRAINING[scale], "tests": TESTS[scale], "trials": trials}


def trial(seed: int, games: int, tests: int) -> dict[str, int]:
    """Train and test an agent, and count its wins by kind."""
    run = Run("cube", "mlp", {"network": DEEP}, MOVE, seed)
    continue_training(run, games)
    found = dict.fromkeys((*KINDS, "lost or drawn"), 0)
    result = match("cube", run.agent, MOVE, tests, seed)
    for number, position in enumerate(replay_all(result, run.agent, player(MOVE))):
        own = 1 + int(number >= result.as_first.games)
        outcome = position.outcome
        won = outcome is not None and outcome.winner == own
        found[kind_of(position) if won else "lost or drawn"] += 1
    return found


def kind_of(won: Position) -> str:
    """Return the kind of a won game, by the threats before the loser's last move."""
    before = won.game.position()
    for move in won.moves[:-2]:
        before.push(move)
    threats = len(winning_moves(before, 3 - before.to_move))
    return (FORCED, STACKED, TWO)[min(threats, 2)]


def winning_moves(position: Position, side: int) -> list[int]:
    """Return the moves with which a side would win at once if it were to move."""
    game, stones, found = position.game, position.stones, []
    start, through = game.lines_by_cell
    for move in position.legal_moves:
        cell = position.cell_of(move)
        lines = game.lines[through[start[cell] : start[cell + 1]]].tolist()
        if any(all(at == cell or stones[at] == side for at in line) for line in lines):
            found.append(move)
    return found


# Measures and tables


def share_of_wins(*kinds: str) -> Measure:
    """Return the per cent of its wins that an agent wins in some way, over trials."""

    def read(data: Data, **_: Label) -> Measured | None:
        trials = data.fact("trials", part=THREATS)
        won = [sum(trial[kind] for kind in KINDS) for trial in trials or ()]
        if not trials or not all(won):
            return None
        parts = [sum(trial[kind] for kind in kinds) for trial in trials]
        return from_values([100 * part / all_ for part, all_ in zip(parts, won, strict=True)])

    return Measure(read)


def how_won(data: Data) -> ResultRow:
    """Return the per cent of wins of each kind with its interval, and what they say together."""
    found = {kind: share_of_wins(kind)(data) for kind in KINDS}
    texts = {kind: "" if one is None else _percent(one) for kind, one in found.items()}
    two = found[TWO]
    low = two.interval[0] if two is not None and two.interval is not None else None
    others = [one.mean for kind, one in found.items() if kind != TWO and one is not None]
    return {
        "shares": texts, "most": low is not None and low > HALF, "only": not any(others),
        "training": data.fact("training", part=THREATS), "tests": data.fact("tests", part=THREATS),
        "trials": len(data.fact("trials", part=THREATS) or ()),
    }  # fmt: skip


def _percent(found: Measured) -> str:
    text = f"{found.mean:.1f}%"
    return text + (" ({:.1f} to {:.1f})".format(*found.interval) if found.interval else "")


def threats_table(data: Data) -> Table | None:
    """Return how games were won, in each trial."""
    trials = data.fact("trials", part=THREATS)
    if not trials:
        return None
    heads = ("trial", *KINDS, "lost or drawn")
    lines = (
        (str(number), *(str(trial[kind]) for kind in heads[1:]))
        for number, trial in enumerate(trials, start=1)
    )
    return Table(heads, tuple(lines), "Games won against the benchmark player, by threats")


PART = Part(
    THREATS, "how games against the benchmark player are won: by two threats?", (),
    {TINY: 1, QUICK: 1, PAPER_SCALE: 1}, facts=facts, judged=(PAPER_SCALE,), own=True,
)  # fmt: skip
TABLES: dict[str, PaperTable] = {"threats": Made(threats_table, THREATS)}
