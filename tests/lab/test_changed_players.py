"""Players made from ours that move otherwise: asked in Python everywhere, and never proven.

Each of them takes the last legal move, by one way or another of changing a player of the package.
"""

from __future__ import annotations

import ast
from functools import cache, partial
from pathlib import Path
from types import MethodType
from typing import Any

import pytest

import inarow
from inarow.adapters.kaggle import export_agent
from inarow.engine.board import tables_of
from inarow.engine.players import (
    MovesFromCompiled,
    compiled_form,
    has_compiled_form,
    is_unchanged,
)
from inarow.engine.rules import RuleList
from inarow.engine.streams import make_stream
from inarow.game import InputError, Position
from inarow.game import game as game_of
from inarow.lab.certificates.best_response import BestResponse
from inarow.lab.evaluation import evaluate
from inarow.lab.matches.match import match
from inarow.lab.players.names import RulePlayerByName, agent_mcts, player, rule_list
from inarow.lab.players.policies import OBSERVED, STATED, known_policies
from inarow.lab.players.protocols import ask, bind_player, states_policy
from inarow.lab.players.shipped import Level
from inarow.lab.training.run import Opponent
from inarow.lab.values.move_values import estimate
from inarow.papers.connect_four.tdl import referee_score
from inarow.search.decided import WithStrategy
from inarow.search.endgame import Endgame, LateSolver
from inarow.search.mcts import Mcts, TimedMcts
from inarow.search.minimax import Minimax, TimedMinimax
from inarow.search.perfect import Perfect
from tests.small_runs import small_run

TICTACTOE = game_of("tictactoe")
SEVEN = ("td", "ntuple", "mlp", "line_td", "monte_carlo", "reinforce", "sarsa")
SOURCES = Path(inarow.__file__).parent


def last_move(_: object, position: Position) -> int:
    """The last legal move."""
    return position.legal_moves[-1]


@cache
def learned(name: str) -> Any:
    """An agent that has learned a little."""
    return small_run(name).agent


def made(name: str) -> Any:
    """A new player of a kind."""
    makers = {
        "minimax": partial(Minimax, 9),
        "timed minimax": partial(TimedMinimax, 2, 0.01),
        "mcts": partial(Mcts, 20),
        "timed mcts": lambda: TimedMcts(Mcts(20), 0.01),
        "rules": lambda: player("benchmark"),
        "perfect": Perfect,
        "level": partial(Level, 10),
        "best response": lambda: BestResponse(player("random")),
        "strategy": lambda: WithStrategy(Minimax(1)),
        "late solver": lambda: LateSolver(Minimax(1), 20, game_of("cube")),
        "endgame": lambda: Endgame(Minimax(1), 14),
    }
    return makers[name]() if name in makers else small_run(name).agent


KINDS = (
    *("minimax", "timed minimax", "mcts", "timed mcts", "rules", "perfect", "level"),
    *("best response", "strategy", "late solver", "endgame", *SEVEN),
)
GAMES = {
    "strategy": "qubic", "late solver": "cube", "endgame": "connect4:4x4",
    "ntuple": "connect4:4x4", "line_td": "ntictactoe:3^3",
}  # fmt: skip


def game_for(name: str) -> inarow.Game:
    """A game that players of the kind play."""
    return game_of(GAMES.get(name, "tictactoe"))


def subclass(name: str) -> Any:
    """An object of a class whose `move` is the last legal one."""
    found = made(name)
    found.__class__ = type("Changed", (type(found),), {"move": last_move})
    return found


def on_the_object(name: str) -> Any:
    """An object whose own `move` is the last legal one."""
    found = made(name)
    found.move = MethodType(last_move, found)
    return found


def wrapper(name: str) -> Any:
    """An object of another class, that answers all other questions by ours."""

    class Wrapper:
        def __init__(self, inner: Any) -> None:
            self._inner = inner

        def __getattr__(self, attribute: str) -> Any:
            return getattr(self._inner, attribute)

        move = last_move

    return Wrapper(made(name))


CHANGES = {change.__name__: change for change in (subclass, on_the_object, wrapper)}
everywhere = pytest.mark.parametrize("change", CHANGES)
small = pytest.mark.parametrize(
    "name", [name for name in KINDS if game_for(name) == TICTACTOE and not name.startswith("timed")]
)


@everywhere
@pytest.mark.parametrize("name", KINDS)
def test_a_changed_player_is_asked_in_python(name, change):
    changed, game = CHANGES[change](name), game_for(name)
    assert not has_compiled_form(changed)
    assert not states_policy(changed)
    with pytest.raises(InputError, match="has no compiled form"):
        compiled_form(changed, tables_of(game))
    bound, position = bind_player(changed, game, make_stream(1)), Position(game)
    for _ in range(4):
        assert ask(bound, position) == position.legal_moves[-1]
        position.push(ask(bound, position))
    assert estimate(changed, Position(game)) is None


@pytest.mark.parametrize("name", KINDS)
def test_an_unchanged_player_keeps_its_compiled_form(name):
    compiled = name in SEVEN or not name.startswith(("timed", "perfect", "level", "best"))
    found = made(name)
    assert has_compiled_form(found) == compiled
    found.__class__ = type("Named", (type(found),), {"__doc__": "Mine.", "colour": "red"})
    assert has_compiled_form(found) == compiled


@everywhere
@small
def test_nothing_is_proven_of_a_changed_player(name, change):
    changed = CHANGES[change](name)
    graph = inarow.graph_of(TICTACTOE)
    (policy,), basis = known_policies(changed, graph)
    assert basis.kind == OBSERVED
    assert policy.sum() == (graph.edge_start[:-1] < graph.edge_start[1:]).sum()
    certificate = inarow.certify(changed, "tictactoe")
    assert [side.unbeatable for side in certificate.sides.values()] == [None, None]
    assert not certificate.unbeatable
    assert certificate.basis.kind == OBSERVED
    with pytest.raises(InputError, match="cannot be certified against anyone"):
        inarow.certify_against_anyone(changed, "tictactoe")
    with pytest.raises(InputError, match="nothing exact follows"):
        inarow.exact_odds("tictactoe", changed, "random")
    with pytest.raises(InputError, match="nothing exact follows"):
        inarow.best_response(changed, "tictactoe")
    with pytest.raises(InputError, match="nothing exact follows"):
        inarow.exploitability(changed, "tictactoe")


def test_the_class_of_the_report_is_beaten_and_not_proven():
    class SubMini(Minimax):
        move = last_move

    changed = SubMini(9)
    assert TICTACTOE.position("11 33 12 32 13").outcome is not None
    seen: list[Position] = []
    match("tictactoe", "minimax:9", changed, 1, side="first", watch=seen.append)
    assert seen[0].outcome == inarow.Outcome.FIRST
    certificate = inarow.certify(changed, "tictactoe")
    assert not certificate.unbeatable
    assert "observed" in certificate.basis.text


@everywhere
@small
def test_matches_play_the_move_of_a_changed_player(name, change):
    seen: list[Position] = []
    match("tictactoe", CHANGES[change](name), "random", 4, watch=seen.append)
    assert len(seen) == 4
    for number, position in enumerate(seen):
        place = TICTACTOE.position()
        for move in position.moves:
            if place.ply % 2 == (number >= 2):
                assert move == place.legal_moves[-1]
            place.push(move)


@everywhere
def test_an_arena_plays_the_move_of_a_changed_player(change):
    changed = CHANGES[change]("minimax")
    changed.name = "changed"
    result = inarow.arena("tictactoe", ["random", changed, "minimax:9"], 40)
    assert result.ranking[-1] != "minimax:9"
    assert result.tally("minimax:9", "changed").wins == 40


@everywhere
@pytest.mark.parametrize("name", ["td", "mlp", "monte_carlo", "reinforce", "sarsa"])
def test_evaluations_of_a_study_ask_a_changed_agent(name, change):
    changed = CHANGES[change](name)
    measured = evaluate(changed, "games:minimax:9:10:second", 0)
    assert measured["lost against minimax:9"] == 10
    measured = evaluate(changed, "games:attack:20", 0)
    plainly = match("tictactoe", changed, "attack", 20, 0).total
    assert measured["won against attack"] == plainly.wins
    for evaluation in ("exact", "score:random", "exploitability", "certificate", "expert"):
        with pytest.raises(InputError, match="nothing exact follows"):
            evaluate(changed, evaluation, 0)
    with pytest.raises(InputError, match="has no compiled form"):
        evaluate(changed, "anyone", 0)
    with pytest.raises(InputError, match="has no compiled form"):
        referee_score("minimax:2", changed, 2, 0)


@everywhere
def test_players_are_not_made_of_changed_ones(change):
    changed, agent = CHANGES[change]("minimax"), CHANGES[change]("ntuple")
    for make in (
        lambda: Endgame(changed, 14),
        lambda: WithStrategy(changed),
        lambda: LateSolver(changed, 20, game_of("cube")),
        lambda: Mcts(20, agent=agent),
        lambda: TimedMcts(CHANGES[change]("mcts"), 1.0),
    ):
        with pytest.raises(InputError, match="has no compiled form"):
            make()
    with pytest.raises(InputError, match="must be a learned agent"):
        agent_mcts(agent, "mcts:10")
    with pytest.raises(InputError, match="nothing learns from it"):
        Opponent(changed, TICTACTOE).compiled(tables_of(TICTACTOE))
    with pytest.raises(InputError, match="nothing learns from it"):
        Opponent(CHANGES[change]("perfect"), TICTACTOE).compiled(tables_of(TICTACTOE))
    with pytest.raises(InputError, match="cannot be exported"):
        export_agent(agent, Path("agent.py"))


def test_a_player_that_is_changed_later_is_not_used_by_another():
    inner = Minimax(1)
    outer = Endgame(inner, 14)
    inner.move = MethodType(last_move, inner)
    with pytest.raises(InputError, match="has no compiled form"):
        compiled_form(outer, tables_of(game_of("connect4:4x4")))


def test_a_move_is_of_the_options_as_they_are():
    """A certificate is of these, whatever was played before they were changed."""
    place = TICTACTOE.position("11 12 22 33")
    deep, known = Minimax(1), player("minimax:9").move(place)
    deep.move(TICTACTOE.position())
    deep.depth = 9
    assert deep.move(place) == known
    rules, board = player("benchmark"), TICTACTOE.position("11 12")
    rules.move(board)
    rules.rules = player("greedy-lines").rules
    assert rules.move(board) == player("greedy-lines").move(board)
    deep.time_limit = 0.001
    with pytest.raises(InputError, match="has a time limit"):
        compiled_form(deep, tables_of(TICTACTOE))


@everywhere
def test_a_batch_asks_a_changed_opponent(change):
    games = inarow.batch("tictactoe", 1, CHANGES[change]("minimax"), side="second")
    assert games.position(0).moves == (8,)


@pytest.mark.parametrize("name", ["minimax", "mcts", "rules", "perfect", "td", "mlp", "ntuple"])
@pytest.mark.parametrize(
    "method", ["policies", "compiled_policy", "_order", "moves", "values", "begin", "arrays_of"]
)
def test_any_method_that_a_class_adds_leads_to_questions(name, method):
    """Whether it is one that moves rest on cannot be seen from outside."""
    found, graph = made(name), inarow.graph_of(game_for(name))
    found.__class__ = type("Changed", (type(found),), {method: lambda self, *_: None})
    assert not states_policy(found)
    if (name, method) in (("perfect", "moves"), ("td", "policies")):
        return  # they move by it
    basis = known_policies(found, graph)[1] if graph.positions < 10_000 else None
    assert basis is None or basis.kind == OBSERVED


def test_a_helper_that_moves_rest_on_is_asked():
    class First(Perfect):
        def moves(self, position: Position) -> list[int]:
            return [position.legal_moves[0]]

    graph = inarow.graph_of(TICTACTOE)
    assert known_policies(First(), graph)[1].kind == OBSERVED
    seen: list[Position] = []
    match("tictactoe", First(), "random", 1, watch=seen.append)
    assert seen[0].moves[0] == 0


def test_policies_that_are_not_of_the_class_of_the_move_are_not_believed():
    class Liar(Perfect):
        def policies(self, graph):
            return [super().policies(graph)[0]]

    assert known_policies(Liar(), inarow.graph_of(TICTACTOE))[1].kind == OBSERVED

    class Both(Liar):
        move = Perfect.move
        policies = Liar.policies

    assert known_policies(Both(), inarow.graph_of(TICTACTOE))[1].kind == STATED


def test_rules_of_a_class_of_its_own_are_not_read_as_a_list():
    """Its compiled form is what plays, and what is certified."""

    class Mine(RuleList):
        def compiled(self, tables):
            return player("random").compiled(tables)

    assert rule_list(player("advanced")) is not None
    changed = RulePlayerByName("mine", Mine(player("advanced").rules.variants))
    assert rule_list(changed) is None
    assert inarow.exact_odds("tictactoe", changed, "random") == inarow.exact_odds(
        "tictactoe", "random", "random"
    )
    assert inarow.certify(changed, "tictactoe").sides == inarow.certify("random", "tictactoe").sides


def test_a_class_says_itself_that_it_is_deterministic():
    class Changed(BestResponse):
        move = last_move

    class Said(Changed):
        deterministic = True
        move = last_move

    class Base:
        deterministic = True

    class Below(Base):
        move = last_move

    random = player("random")
    assert not inarow.certify(Changed(random), "tictactoe").basis.proven
    assert inarow.certify(Said(random), "tictactoe").basis.proven
    assert inarow.certify(Below(), "tictactoe").basis.proven


@pytest.mark.parametrize("method", ["move", "compiled", "arrays_for", "policies", "values"])
def test_a_class_that_is_patched_is_asked(method, monkeypatch):
    agent = learned("mlp")
    assert states_policy(agent)
    kind = next(kind for kind in type(agent).__mro__ if method in vars(kind))
    before = vars(kind)[method]
    monkeypatch.setattr(kind, method, lambda *given: before(*given))
    assert not has_compiled_form(agent)
    monkeypatch.undo()
    assert states_policy(agent)


def test_a_patched_class_of_perfect_play_is_asked(monkeypatch):
    monkeypatch.setattr(Perfect, "move", last_move)
    assert known_policies(Perfect(), inarow.graph_of(TICTACTOE))[1].kind == OBSERVED
    assert bind_player(Perfect(), TICTACTOE, make_stream(0)).move(Position(TICTACTOE)) == 8


def test_an_object_that_hides_its_attributes_is_asked():
    class Hiding(Minimax):
        __dict__ = property(lambda self: {})

    changed = Hiding(9)
    changed.move = MethodType(last_move, changed)
    assert not has_compiled_form(changed)


def test_another_base_between_ours_is_asked():
    class Other(MovesFromCompiled):
        move = last_move

    class Mixed(RulePlayerByName, Other):
        pass

    mixed = Mixed("mine", player("attack").rules)
    assert not has_compiled_form(mixed)
    assert not is_unchanged(mixed, RulePlayerByName)


def test_a_class_that_gives_a_compiled_form_of_its_own_is_that_form():
    class Mine(MovesFromCompiled):
        def compiled(self, tables):
            return player("attack").compiled(tables)

    class Preset(Minimax):
        def __init__(self) -> None:
            super().__init__(3)
            self.name = "mine"

    assert states_policy(Mine())
    assert states_policy(Preset())
    assert known_policies(Mine(), inarow.graph_of(TICTACTOE))[1].kind == STATED

    class WithMove(Mine):
        move = last_move

        def compiled(self, tables):
            return super().compiled(tables)

    assert not has_compiled_form(WithMove())

    class Stronger(Minimax):
        """It would be certified as what it does not play: `move` looks one move ahead."""

        def compiled(self, tables):
            return Minimax(9).compiled(tables)

    assert not has_compiled_form(Stronger(1))
    assert known_policies(Stronger(1), inarow.graph_of(TICTACTOE))[1].kind == OBSERVED

    class NoMove:
        def compiled(self, tables):
            return player("attack").compiled(tables)

    class Helped(NoMove):
        def help(self):
            """Of no use."""

    assert has_compiled_form(NoMove())
    with pytest.raises(InputError, match="needs a method move"):
        bind_player(Helped(), TICTACTOE, make_stream(0))


def test_compiled_forms_are_taken_in_one_place():
    """Elsewhere a player gives its own (`self`), or one is taken of a list of rules or made new."""
    for path in SOURCES.rglob("*.py"):
        if path.name == "players.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and node.attr == "compiled":
                whose = node.value
                plain = isinstance(whose, ast.Call) or (
                    isinstance(whose, ast.Name) and whose.id in ("self", "rules", "variant")
                )
                assert plain, f"{path}:{node.lineno} takes a compiled form: use compiled_form"


def test_methods_of_all_players_are_noted():
    """A class with a method `move` that is not made by `bind` is known to the rule."""
    for path in SOURCES.rglob("*.py"):
        if path.parts[-2] in ("adapters", "web", "ui", "server", "engine", "game"):
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("Bound"):
                names = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
                if {"move", "policies"} <= names or {"move", "bind"} <= names:
                    decorators = [ast.unparse(one) for one in node.decorator_list]
                    assert "note_class" in decorators, f"{path}:{node.lineno} {node.name}"
