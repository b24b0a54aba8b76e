"""The answers of the API, without the web: a question in, one of `api_models` out.

A stranger's program may ask for anything, so each answer is bounded: boards by their cells,
searches by nodes or seconds, files by their names in one folder. What goes beyond is an
`InputError` that says the limit.
"""

from __future__ import annotations

import math
from functools import lru_cache
from pathlib import Path

from inarow.engine.clock import Stopwatch
from inarow.engine.streams import FIRST, SECOND, make_stream
from inarow.game import Game, InputError, Position
from inarow.game import game as game_of
from inarow.game.names import EXAMPLES, FORMS, VARIANTS, published_value
from inarow.game.position import move_text
from inarow.lab.players import names
from inarow.lab.players.outside import outside_players
from inarow.lab.players.protocols import Player, ask, bind_player
from inarow.lab.values import move_values
from inarow.lab.values.analysis import Analyser
from inarow.search.mcts import TimedMcts
from inarow.search.minimax import SearchResult, TimedMinimax, is_minimax, search
from inarow.ui.play_board import completed_lines
from inarow.ui.server import models
from inarow.ui.server.arena_files import Find
from inarow.ui.server.players import NTUPLE_DEPTH, MissingFileError, saved_agents

MAX_CELLS = 400  # 19x19 and 7^3 fit
MAX_BODY = 16_384  # bytes of a question
MAX_ANALYSED = 100  # moves of a game
SECONDS = models.MAX_SECONDS  # of a search by the clock
LEAST_SECONDS = 0.01  # for the positions of a game whose time is spent


class NotThereError(InputError):
    """Something was named that is not there."""


def list_games() -> models.Games:
    """How games are named, and how large they may be."""
    limits = models.Limits(
        cells=MAX_CELLS,
        text=models.MAX_TEXT,
        body=MAX_BODY,
        seconds=SECONDS,
        analysed=MAX_ANALYSED,
        ntuple_depth=NTUPLE_DEPTH,
    )
    forms = [models.GameForm(form=form, about=about) for form, about in FORMS.items()]
    variants = [models.GameForm(form=f",{end}", about=about) for end, about in VARIANTS.items()]
    examples = [models.GameExample(name=e.name, title=e.title, value=e.value) for e in EXAMPLES]
    return models.Games(forms=forms, variants=variants, examples=examples, limits=limits)


@lru_cache(maxsize=64)
def find_game(name: str) -> Game:
    """The game of a name, if it is not too large."""
    found = game_of(name)
    if found.cells > MAX_CELLS:
        raise InputError(f"{name} has {found.cells} cells: the API takes at most {MAX_CELLS}")
    return found


def describe_game(name: str) -> models.GameDescription:
    """Cells, lines and moves of a game."""
    game = find_game(name)
    return models.GameDescription(
        name=game.name,
        shape=list(game.shape),
        k=game.k,
        gravity=game.gravity,
        scoring=game.scoring,
        wrap=list(game.wrap),
        misere=game.misere,
        cells=game.cells,
        moves=[move_text(game, move) for move in range(game.columns)],
        lines=game.lines.tolist(),
    )


def list_players(folder: Path) -> models.Players:
    """The players that a name makes, and the agents saved in a folder."""
    about = {name: entry.about for name, entry in names.RULE_PLAYERS.items()}
    outside = outside_players()
    forms = [
        models.PlayerForm(form=form, about=text)
        for form, text in (about | names.SEARCH_PLAYERS | names.LEARNED_PLAYERS | outside).items()
        if "PLAYER" not in form  # made of other players: not offered here
    ]
    agents = [
        models.SavedAgent(name=name, game=header.game, learner=header.learner)
        for name, header in saved_agents(folder).items()
    ]
    return models.Players(forms=forms, agents=agents)


def describe_position(question: models.PositionQuestion) -> models.PositionDescription:
    """Stones, legal moves and outcome of a position."""
    return _describe(find_game(question.game).position(question.moves))


def find_values(question: models.ValuesQuestion, find: Find) -> models.Values:
    """The exact value of every move where it is quick, and what a player estimates."""
    position = find_game(question.game).position(question.moves)
    some_player = question.player and _find_player(question.player, position.game, find)
    exact = move_values.exact(position)
    estimate = _estimate(some_player, position, question.player or "") if some_player else None
    return models.Values(
        position=_describe(position),
        exact=None if exact is None else _exact(exact, position),
        estimate=estimate,
    )


def solve_position(question: models.SearchQuestion) -> models.Solved:
    """What is proven of a position and of each of its moves within the time."""
    position = find_game(question.game).position(question.moves)
    known = move_values.bound_moves(position, move_values.Budget(question.seconds))
    published = None if position.ply or known.position.exact else published_value(position.game)
    whole, game = known.position, position.game
    return models.Solved.model_validate(
        whole.as_json()
        | {
            "position": _describe(position),
            "score": _score_of(whole, position),
            "moves": [
                bounds.as_json()
                | {"move": move_text(game, move), "score": _score_of(bounds, position)}
                for move, bounds in known.moves.items()
            ],
            "best": [move_text(game, move) for move in known.best],
            "basis": list(known.by),
            "published": None if published is None else published.text,
        }
    )


def analyse_game(question: models.SearchQuestion) -> models.Analysed:
    """What is proven of every move of a game, within the time for all of them."""
    position, watch = find_game(question.game).position(question.moves), Stopwatch()
    if position.ply > MAX_ANALYSED:
        raise InputError(f"{position.ply} moves are too many to analyse: at most {MAX_ANALYSED}")
    work = Analyser(position, question.seconds)
    while work.left:
        work.seconds = max(question.seconds - watch.seconds, LEAST_SECONDS) / work.left
        work.step()
    return models.Analysed.model_validate(work.analysis().as_json())


def choose_move(question: models.MoveQuestion, find: Find) -> models.ChosenMove:
    """The move that a player chooses; what is left to chance follows from the seed."""
    position = find_game(question.game).position(question.moves)
    if position.outcome is not None:
        raise InputError(f"the game is over ({position.outcome}): there is no move to choose")
    some_player = _find_player(question.player, position.game, find)
    move = _choose(some_player, position, question.seed)
    cell = position.cell_of(move)
    position.push(move)
    return models.ChosenMove(
        player=question.player,
        move=move_text(position.game, move),
        cell=cell,
        position=_describe(position),
    )


# Players


def _find_player(name: str, game: Game, find: Find) -> Player:
    """The player of a name, if it plays that game and answers soon."""
    try:
        found = find(name, game)
    except MissingFileError:
        raise NotThereError(
            f"there is no saved agent {name}: GET /players lists what there is"
        ) from None
    if isinstance(found, TimedMcts) and found.time_limit > SECONDS:
        raise InputError(f"{found.name} takes too long: at most {SECONDS:g} s a move here")
    return found


def _choose(some_player: Player, position: Position, seed: int) -> int:
    """The move of a player in a game of its own: chance is drawn for each game and each ply."""
    side = (FIRST, SECOND)[position.to_move - 1]
    stream = make_stream(seed, side, position.ply)
    if is_minimax(some_player):
        return _search(some_player, position).move
    bound = bind_player(some_player, position.game, make_stream(seed, side))
    if isinstance(bound, names.BoundPlayer):
        bound.begin()  # the same in every question about one game
        bound.stream[:] = stream
    else:
        bound = bind_player(some_player, position.game, stream)
    return ask(bound, position)


def _search(minimax: TimedMinimax, position: Position, all_moves: bool = False) -> SearchResult:
    """The whole search of its depth, or a refusal: half of it would depend on the machine."""
    if (minimax.time_limit or 0) > SECONDS:
        raise InputError(f"{minimax.name} takes too long: at most {SECONDS:g} s a move here")
    depth = min(minimax.depth, position.game.cells - position.ply)
    limit = minimax.time_limit or SECONDS
    result = search(position, depth, minimax.order, limit, all_moves)
    if minimax.time_limit is None and result.ending is None and result.depth < depth:
        raise InputError(
            f"{minimax.name} takes more than {SECONDS:g} s here: depth {result.depth} was reached"
        )
    return result


def _estimate(some_player: Player, position: Position, name: str) -> models.Estimate | None:
    if is_minimax(some_player):
        found = _search(some_player, position, all_moves=True).values or {}
        values = {move: float(value) for move, value in found.items()}
    else:
        held = move_values.estimate(some_player, position)
        if held is None:
            return None
        values = held.values
    finite = {move: value for move, value in values.items() if math.isfinite(value)}
    highest = max(finite.values(), default=0.0)
    game = position.game
    return models.Estimate(
        by=name,
        moves=[
            models.EstimatedMove(move=move_text(game, move), value=finite.get(move))
            for move in position.legal_moves
        ],
        best=[move_text(game, move) for move, value in finite.items() if value == highest],
    )


# Positions and exact values


def _describe(position: Position) -> models.PositionDescription:
    game, outcome = position.game, position.outcome
    return models.PositionDescription(
        game=game.name,
        moves=position.notation,
        ply=position.ply,
        to_move=position.to_move if outcome is None else None,
        stones=list(position.stones),
        legal_moves=[move_text(game, move) for move in position.legal_moves],
        outcome=outcome and outcome.value,
        score=list(position.score),
        lines=completed_lines(position),
    )


def _exact(exact: move_values.Exact, position: Position) -> models.ExactValues:
    game, left = position.game, position.game.cells - position.ply
    return models.ExactValues(
        by=exact.by,
        moves=[
            models.ExactMove(
                move=move_text(game, move),
                value=verdict.value,
                stones=verdict.stones,
                score=None if game.scoring else _score(verdict, left),
            )
            for move, verdict in exact.moves.items()
        ],
        best=[move_text(game, move) for move in exact.best],
    )


def _score_of(bounds: move_values.Bounds, position: Position) -> int | None:
    """The solver's score of a position or a move, where what is proven says it."""
    verdict = bounds.verdict
    if position.game.scoring or verdict is None or (verdict.value and verdict.stones is None):
        return None
    return _score(verdict, position.game.cells - position.ply)


def _score(verdict: move_values.Verdict, left: int) -> int:
    """The solver's score (see `search.solver`) of a move with so many cells empty before it."""
    return 0 if verdict.stones is None else verdict.value * ((left - verdict.stones) // 2 + 1)
