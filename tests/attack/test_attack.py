"""Some games of the standing examination, and whether it would find what is false."""

from __future__ import annotations

import ast
import math
from collections import Counter
from pathlib import Path

import pytest

from inarow.game import InputError
from inarow.graph import odds as odds_module
from inarow.lab.values.move_values import MoveBounds
from tests.attack import checks, rules
from tests.attack.__main__ import attack, never_asked
from tests.attack.rules import Rules, TooLarge


def test_brute_force_agrees(capsys):
    """A minute of it; `make attack MINUTES=30` takes more, with other seeds."""
    counts = Counter[tuple[str, str]]()
    found = attack(seed=20, numbers=range(40), until=math.inf, counts=counts)
    said = capsys.readouterr().out
    assert found == 0, said
    assert never_asked(counts) == ["cold command"]  # whose turn comes later: it takes a minute
    assert f"solving: {counts['solving', 'asked']} asked, " in said


def test_the_rules_import_nothing_of_the_package_and_are_short():
    source = Path(rules.__file__).read_text(encoding="utf-8")
    assert len(source.splitlines()) < 150
    imported = {
        node.module if isinstance(node, ast.ImportFrom) else node.names[0].name
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Import | ast.ImportFrom)
    }
    assert imported == {"__future__", "itertools", "fractions", "functools", "math"}


@pytest.mark.parametrize(
    ("game", "positions", "games", "value"),
    [
        (Rules((3, 3), 3), 5478, 255168, 0),
        (Rules((3, 3), 3, misere=True), 5478, 255168, 0),
        (Rules((3, 3), 3, gravity=True), 694, 1310, 0),
    ],
)
def test_known_games(game, positions, games, value):
    plies = game.tree(10_000)
    assert sum(map(len, plies)) == positions
    ended = [ways for ply in plies for s, ways in ply.items() if game.result(s) is not None]
    assert sum(ended) == games
    assert game.end(game.empty)[0] == value
    with pytest.raises(TooLarge):
        game.tree(100)


def test_a_check_that_is_refused_everywhere_is_noticed(monkeypatch, capsys):
    def refuse(*_):
        raise InputError("no")

    monkeypatch.setattr(checks, "make_book", refuse)
    counts = Counter[tuple[str, str]]()
    assert attack(1, range(12), math.inf, "book", counts) == 0
    assert "book: 0 asked, 12 skipped" in capsys.readouterr().out
    assert "book" in never_asked(counts)


def test_what_is_false_is_found(monkeypatch, capsys):
    """False odds and a false best move are printed, with the commands that show them again."""

    def turned(graph, first, second, **named):
        return odds_module.odds(graph, second, first, **named)

    monkeypatch.setattr(checks, "odds", turned)
    assert attack(1, range(12), math.inf, "weights")
    said = capsys.readouterr().out
    assert "brute force" in said
    assert "\n    python -m tests.attack --seed 1 --case " in said
    monkeypatch.setattr(MoveBounds, "best", property(lambda self: list(self.moves)))
    assert attack(1, range(12), math.inf, "bounds")
    assert "is said to be best" in capsys.readouterr().out
