"""How the n-tuple agent of the package is corrected until it wins every game against perfect play.

A network that plays the same move in the same position has few holes, and the walk through all of
its games against perfect play (`lab.against_perfect_walk`) finds them all. In each such position
the move is corrected, for each depth that the agent is to be played with; then all games are
walked again, since other moves lead to other positions (DAgger, Ross et al. 2011). It ends when
no game is left that is not won.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from inarow.game import InputError, Position
from inarow.lab.against_perfect_walk import ExactWalk, Mistake, Walker
from inarow.learn.ntuple_correct import Correction
from inarow.learn.ntuple_play import NTupleAgent
from inarow.search.perfect import Perfect

MARGIN = 0.02  # by which the right move is preferred: much more than 16 bits lose
MOST_ROUNDS = 50

Report = Callable[[str], None]


def correct(
    agent: NTupleAgent,
    depths: Iterable[int],
    report: Report = print,
    margin: float = MARGIN,
    walker: Walker | None = None,
) -> tuple[Correction, list[dict[str, Any]]]:
    """Corrects an agent until it wins all games at all depths.

    Returns it and what each round found.
    """
    correction, walker = Correction(agent), walker or Walker(agent.game)
    rounds = list[dict[str, Any]]()
    for number in range(MOST_ROUNDS):
        walks = {depth: walker.walk(correction.agent(depth)) for depth in depths}
        found = [(depth, mistake) for depth, walk in walks.items() for mistake in walk.mistakes]
        made = sum(put_right(correction, depth, mistake, margin) for depth, mistake in found)
        rounds.append(
            {
                "mistakes": {str(depth): len(walk.mistakes) for depth, walk in walks.items()},
                "chances": {str(depth): walk.chances for depth, walk in walks.items()},
                "corrections": made,
            }
        )
        report(f"round {number + 1}: {_told(walks)}; {made} corrections")
        if not found:
            return correction, rounds
        if not made:
            break
    raise InputError(f"mistakes are left that corrections do not remove: {_told(walks)}")


def put_right(correction: Correction, depth: int, mistake: Mistake, margin: float) -> bool:
    """Makes the best-liked of the right moves look better than the one that was chosen.

    With a depth that is said of the positions that the search expects. Both moves may lead to the
    same one, because the search does not see the reply that refutes the wrong move: then what
    comes of that reply is made to look worse.
    """
    position = Position(correction.network.game)
    for move in mistake.moves:
        position.push(move)
    ahead = depth - 1
    right = [
        correction.expected(_after(position, move), ahead)
        for move in Perfect("value").moves(position)
        if move != mistake.move
    ]
    going_on = [expected for expected in right if expected is not None]
    if not going_on:
        return False
    better = max(going_on, key=correction.total)
    wrong = _after(position, mistake.move)
    worse = correction.expected(wrong, ahead)
    if worse is not None and worse.stones == better.stones:
        worse = correction.expected(wrong, ahead, Perfect("first").move)
    return worse is not None and correction.prefer(better, worse, margin)


def _after(position: Position, move: int) -> Position:
    after = position.copy()
    after.push(move)
    return after


def _told(walks: dict[int, ExactWalk]) -> str:
    return ", ".join(
        f"depth {depth}: {len(walk.mistakes)} mistakes in {walk.positions:,} positions"
        for depth, walk in walks.items()
    )
