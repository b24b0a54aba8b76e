"""An agent against perfect play, on games of its own seeds: how it scores, and where it errs.

Perfect play takes any of the best moves: the slowest loss, the fastest win. What it replies is
remembered by position, mirror images together, for all evaluations of a process. The agent's
moves are compiled. After each of them the position's score says whether it gave something away,
so mistakes are counted on the way, by the number of stones before them.
"""

from __future__ import annotations

from functools import lru_cache
from threading import local

import numpy as np

from inarow.engine.streams import EVALUATION, FIRST, SECOND, below, make_stream
from inarow.game import Game, InputError, Position
from inarow.lab.match_result import Tally
from inarow.lab.player_protocols import ask, bind_player
from inarow.lab.players import BoundPlayer
from inarow.learn.agent import LearnedAgent
from inarow.search.book import Book, shipped_book
from inarow.search.solver import Solver

SIDES = ("first", "second")
REPLIES = ("best", "value")
LATE = 18  # stones from which all moves are solved at once: a question costs more than it saves
FEWER = 6  # mistakes are counted by so many stones together

Scores = tuple[int, tuple[int, ...]]  # of a position, and the moves that keep it


def against_perfect(
    agent: LearnedAgent, seed: int, games: str = "200", side: str = "first", replies: str = "best"
) -> dict[str, float]:
    """Games of an agent on a side: score, wins, draws, losses, and mistakes of value by stones."""
    if not games.isdigit() or int(games) < 1:
        raise InputError(f"the number of games must be a whole number, not {games!r}")
    if side not in SIDES:
        raise InputError(f"side {side!r} is none of {', '.join(SIDES)}")
    tally, mistakes = play_perfect(agent, int(games), SIDES.index(side), seed, replies)
    measurements = {
        "score": tally.score,
        "won": tally.wins,
        "drawn": tally.draws,
        "lost": tally.losses,
    }
    found = {f"{name} as {side} against perfect": float(n) for name, n in measurements.items()}
    for stones, (asked, wrong) in sorted(mistakes.items()):
        found[f"mistakes as {side} from {stones} stones"] = wrong / asked
    if mistakes:
        asked, wrong = (sum(counted) for counted in zip(*mistakes.values(), strict=True))
        found[f"mistakes as {side} against perfect"] = wrong / asked
    return found


def play_perfect(
    agent: LearnedAgent, games: int, side: int, seed: int, replies: str = "best"
) -> tuple[Tally, dict[int, list[int]]]:
    """The games counted, and by stones before the move: how many moves, how many gave away.

    A move is a mistake if a win becomes a draw or loss, or a draw a
    loss. A position that is lost holds nothing to give away, and is not counted.
    """
    guide = guide_to(agent.game, replies)
    player = bind_player(agent, agent.game, make_stream(seed, EVALUATION, FIRST, side))
    stream = make_stream(seed, EVALUATION, SECOND, side)
    tally, mistakes = Tally(), dict[int, list[int]]()
    for _ in range(games):
        position, value = Position(agent.game), guide.value_of_start(side)
        if isinstance(player, BoundPlayer):
            player.begin()
        while position.outcome is None:
            if position.ply % 2 == side:
                stones = position.ply // FEWER * FEWER
                position.push(ask(player, position))
                after = _value_for_mover(guide, position)
                if value >= 0:
                    counted = mistakes.setdefault(stones, [0, 0])
                    counted[0] += 1
                    counted[1] += after < value
                value = after
            else:
                moves = guide.moves(position)
                position.push(moves[below(stream, len(moves))] if len(moves) > 1 else moves[0])
        winner = position.outcome.winner
        won, drawn = winner == side + 1, winner is None
        tally += Tally(1, int(won), int(drawn), int(not won and not drawn), position.ply)
    return tally, mistakes


def _value_for_mover(guide: Guide, position: Position) -> int:
    """1, 0 or -1 for the side that just moved."""
    if position.outcome is not None:
        return 0 if position.outcome.winner is None else 1
    score = guide.score(position)
    return (score < 0) - (score > 0)


@lru_cache(maxsize=4)
def guide_to(game: Game, replies: str) -> Guide:
    """What is known of perfect replies, shared by all evaluations of the process."""
    return Guide(game, replies)


class Guide:
    """Scores of positions and the moves that keep them, found once."""

    def __init__(self, game: Game, replies: str = "best") -> None:
        if replies not in REPLIES:
            raise InputError(f"replies {replies!r} are none of {', '.join(REPLIES)}")
        self.game, self.replies = game, replies
        self._known: dict[tuple[int, ...], Scores] = {}
        self._workers = local()  # a solver for each thread: they would wait for each other
        self._mirror = game.columns if len(game.shape) == 2 and game.gravity else 0

    def score(self, position: Position) -> int:
        """For the side to move."""
        return self._find(position)[0]

    def moves(self, position: Position) -> tuple[int, ...]:
        """Those that perfect play may choose."""
        return self._find(position)[1]

    def value_of_start(self, side: int) -> int:
        """The value of the empty board to a side: 1, 0 or -1."""
        score = self.score(Position(self.game))
        return ((score > 0) - (score < 0)) * (1 - 2 * side)

    def _find(self, position: Position) -> Scores:
        """What is known of a position; found out for the lower one of it and its mirror image."""
        stones, image = position.stones, self._image(position.stones)
        mirrored = image < stones
        lower = image if mirrored else stones
        found = self._known.get(lower)
        if found is None:
            found = self._solve(self._image_of(position) if mirrored else position)
            self._known[lower] = found
        score, moves = found
        return score, tuple(self._mirror - 1 - move for move in moves) if mirrored else moves

    def _image(self, stones: tuple[int, ...]) -> tuple[int, ...]:
        if not self._mirror:
            return stones
        rows = range(0, len(stones), self._mirror)
        return tuple(s for row in rows for s in reversed(stones[row : row + self._mirror]))

    def _image_of(self, position: Position) -> Position:
        image = Position(self.game)
        for move in position.moves:
            image.push(self._mirror - 1 - move)
        return image

    def _solve(self, position: Position) -> Scores:
        book, solver = shipped_book(self.game), self._solver()
        if book is not None and position.ply < book.ply:
            return self._keep(_scores_from(book, position.copy()))
        if book is None or position.ply >= LATE:
            return self._keep(solver.solve(position).moves)
        found = book.find(position)
        score = _score_past(book, solver, position) if found is None else found
        return score, self._as_good(position.copy(), book, solver, score)

    def _keep(self, scores: dict[int, int]) -> Scores:
        best = max(scores.values())
        least = self._least(best)
        return best, tuple(move for move, score in scores.items() if score >= least)

    def _least(self, best: int) -> int:
        """What a move must score to be among the replies."""
        if self.replies == "best":
            return best
        return 1 if best > 0 else 0 if best == 0 else -self.game.cells

    def _as_good(
        self, position: Position, book: Book, solver: Solver, best: int
    ) -> tuple[int, ...]:
        """The replies, by one question a move: is it as good? (Several times as fast as scores.)"""
        kept, least = list[int](), self._least(best)
        for move in position.legal_moves:
            position.push(move)
            if position.outcome is None:
                own, every = solver.pack(position.moves)
                good = book.least(own, every) <= -least and _at_most(solver, own, every, -least)
            else:  # no game is drawn this early
                good = True
            position.pop()
            if good:
                kept.append(move)
        return tuple(kept)

    def _solver(self) -> Solver:
        if not hasattr(self._workers, "solver"):
            self._workers.solver = Solver(self.game)
        return self._workers.solver  # type: ignore[no-any-return]


def _score_past(book: Book, solver: Solver, position: Position) -> int:
    """The score of a position past the book.

    Just past it a bound is known, and it is the score itself if the last move was a best one:
    one question. Else, and later, the solver finds it.
    """
    own, every = solver.pack(position.moves)
    least = book.least(own, every)
    if least > -position.game.cells and _at_most(solver, own, every, least):
        return least
    return solver.score(position)


def _at_most(solver: Solver, own: int, every: int, score: int) -> bool:
    """Whether a position scores no more than that."""
    words = np.array([own], dtype=np.uint64), np.array([every], dtype=np.uint64)
    return bool(solver.score_words(*words, (score, score + 1))[0] <= score)


def _scores_from(book: Book, position: Position) -> dict[int, int]:
    """The scores of the moves of a position all of whose children are in the book, or over."""
    win = (position.game.cells - position.ply + 1) // 2
    scores = {}
    for move in position.legal_moves:
        position.push(move)
        score = book.find(position)
        scores[move] = win if score is None else -score  # no game is drawn this early
        position.pop()
    return scores
