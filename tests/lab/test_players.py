"""Players by name: every name and order, objects, and one clear line for anything else."""

from types import SimpleNamespace

import numpy as np
import pytest

import inarow
from inarow.engine.board import tables_of
from inarow.engine.players import has_compiled_form
from inarow.engine.rules import Rule, RuleList, Scan
from inarow.engine.streams import make_stream
from inarow.game import InputError, game
from inarow.lab.players.names import (
    RULE_PLAYERS,
    SCANS,
    BoundPlayer,
    RulePlayerByName,
    player,
    rules_of,
)
from inarow.lab.players.protocols import Player, name_of


class LowestMove:
    """The smallest player there is."""

    def move(self, position):
        """The lowest there is."""
        return position.legal_moves[0]


def test_all_names_of_the_papers():
    assert list(RULE_PLAYERS) == [
        "random",
        "attack",
        "defense",
        "attack-defense",
        "defense-attack",
        "combined",
        "hybrid",
        "benchmark",
        "advanced",
        "greedy-lines",
    ]
    for name, entry in RULE_PLAYERS.items():
        named = player(name)
        assert isinstance(named, RulePlayerByName)
        assert has_compiled_form(named)
        assert (named.name, named.rules) == (name, entry.rules)
        assert repr(named) == f"<player {name}>"
        assert name_of(named) == name
        assert entry.about


def test_only_rule_players_have_rules():
    assert rules_of("attack") == player("attack").rules
    with pytest.raises(InputError, match="perfect is not a rule player"):
        rules_of("perfect")


def test_what_the_names_mean():
    def rules(name: str) -> tuple[tuple[Rule, ...], ...]:
        return player(name).rules.variants

    assert rules("random") == ((),)
    assert rules("attack") == ((Rule.WIN,),)
    assert rules("defense") == ((Rule.BLOCK,),)
    assert rules("attack-defense") == ((Rule.WIN, Rule.BLOCK),)
    assert rules("defense-attack") == ((Rule.BLOCK, Rule.WIN),)
    assert rules("benchmark") == ((Rule.WIN, Rule.BLOCK, Rule.SAFE),)
    assert rules("advanced") == ((Rule.WIN, Rule.BLOCK),)
    assert rules("greedy-lines") == ((Rule.GREEDY,),)
    parts = ("attack", "defense", "attack-defense", "defense-attack")
    assert rules("combined") == tuple(rules(part)[0] for part in parts)


@pytest.mark.parametrize("scan", SCANS)
@pytest.mark.parametrize("name", RULE_PLAYERS)
def test_an_order_behind_the_at(name, scan):
    named = player(f"{name}@{scan}")
    assert named.rules == RuleList(RULE_PLAYERS[name].rules.variants, Scan[scan.upper()])
    assert named.name == f"{name}@{scan}"


def test_orders_are_those_of_the_engine():
    assert {scan.upper() for scan in SCANS} == {scan.name for scan in Scan}


def test_blanks_around_a_name_do_not_matter():
    assert player("  attack@cells ").name == "attack@cells"


def test_a_function_is_a_player():
    result = inarow.match("tictactoe", lambda position: position.legal_moves[0], "random", games=2)
    assert result.as_first.games == 1


PLAYERS = ["attack", "minimax:2", "minimax:2/1s", "mcts:9", "perfect", "level:4"]


@pytest.mark.parametrize("name", [*PLAYERS, "best-response:random"])
def test_no_move_is_chosen_where_there_is_none(name):
    over = inarow.game("tictactoe").position("11 21 12 22 13")
    with pytest.raises(InputError, match=r"^the game is over \(first player wins\)"):
        player(name).move(over)
    with pytest.raises(
        InputError, match=r"^'11 22' is not a position: game.position\(\) makes one"
    ):
        player(name).move("11 22")


def test_an_object_is_a_player():
    lowest = LowestMove()
    assert player(lowest) is lowest
    assert isinstance(lowest, Player)
    assert name_of(lowest) == "LowestMove"
    lowest.name = "lowest"
    assert name_of(lowest) == "lowest"
    named = player("attack")
    assert player(named) is named


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nobody", "unknown player 'nobody': the players are random, attack, "),
        ("", "unknown player ''"),
        ("@", "unknown player '@'"),
        ("Random", "unknown player 'Random'"),
        ("attack@", "unknown order '@' in 'attack@': it is one of random, game, lines, cells"),
        ("attack@rows", "unknown order '@rows'"),
        ("attack@lines@cells", "unknown order '@lines@cells'"),
        (None, "None is not a player: it needs a method move"),
        (7, "7 is not a player: it needs a method move"),
        (SimpleNamespace(agent=LowestMove()), "a training run is not a player: its player is"),
    ],
)
def test_bad_names_get_one_clear_line(name, message):
    with pytest.raises(InputError) as caught:
        player(name)
    assert str(caught.value).startswith(message)
    assert len(str(caught.value).splitlines()) == 1


def test_a_seated_player_moves_by_its_rules():
    this = game("connect4:6x7")
    bound = BoundPlayer(player("attack-defense"), this, make_stream(1))
    bound.begin()
    assert bound.move(this.position("112233")) == 3
    assert bound.move(this.position("1122337")) == 3
    assert {bound.move(this.position()) for _ in range(100)} == set(range(7))
    moves = {type(bound.move(this.position())) for _ in range(3)}
    assert moves == {int}


def test_each_loop_has_a_memory_of_its_own():
    tables = tables_of(game("tictactoe"))
    named = player("combined@game")
    one, other = named.compiled(tables), named.compiled(tables)
    assert not np.shares_memory(one.memory, other.memory)
    assert not np.shares_memory(one.found, other.found)
