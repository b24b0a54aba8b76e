"""Modules: those that come with the package are what its sources make; others are refused."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys

import pytest

from inarow.game import InputError
from inarow.game import game as game_of
from inarow.lab.players.names import player
from inarow.search.minimax import Minimax
from inarow.web.modules import (
    KINDS,
    PROCESSOR,
    build,
    find_module,
    index,
    layout_digest,
    maker,
    read_module,
    sample,
)
from inarow.web.package import package
from inarow.web.players import as_compiled


def test_the_index_is_that_of_the_files():
    assert list(index()["modules"]) == list(KINDS)
    for kind, entry in index()["modules"].items():
        module = read_module(kind)
        assert (len(module), hashlib.sha256(module).hexdigest()) == (
            entry["bytes"],
            entry["sha256"],
        )
        assert entry["layout"].encode() in module
    assert len({entry["layout"] for entry in index()["modules"].values()}) == len(KINDS)


def test_every_kind_finds_its_module():
    for kind, sampled in KINDS.items():
        digest = layout_digest(sample(sampled), sampled.part)
        assert find_module(digest) == kind


@pytest.mark.skipif(index()["maker"] != maker(), reason=f"{maker()} may make other bytes")
@pytest.mark.parametrize("kind", ["rules", "table", "rule"])
def test_built_anew_a_module_has_the_same_bytes(kind):
    assert build(kind) == read_module(kind)


# What a module is made of in a process of its own: a function of the test's, given as text.
REFUSED = {
    "allocates": "return np.int64(np.zeros(number)[0])",
    "raises": "if number > 3:\n        raise ValueError('large')\n    return np.int64(number)",
    "calls": "return np.int64(math.gamma(float(number)))",
}
PROGRAM = """
import math, sys
import numba, numpy as np
from inarow.web.retarget import build_module, code_of
from inarow.game import InputError

@numba.njit(error_model="numpy")
def wrong(number):
    {body}

try:
    build_module({{"wrong": code_of(wrong, (1,))}}, False, b"")
except InputError as error:
    print(error)
"""


@pytest.mark.parametrize("what", REFUSED)
def test_what_a_page_cannot_run_is_refused_in_a_line(what):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(body=REFUSED[what])],
        env={**os.environ, **PROCESSOR},
        capture_output=True,
        text=True,
        check=True,
    )
    (line,) = done.stdout.strip().splitlines()
    assert line.startswith("a page cannot run this player")
    assert what in line


def test_players_that_only_a_server_can_ask_are_refused():
    for name, game in (("level:3", "cube"), ("minimax:3/0.5s", "cube"), ("perfect", "qubic")):
        with pytest.raises(InputError, match="cannot play in a page"):
            as_compiled(player(name), game_of(game))


def test_a_player_that_is_asked_in_python_is_refused():
    class Odd(Minimax):
        def move(self, position):
            return position.legal_moves[0]

    with pytest.raises(InputError, match="cannot play in a page"):
        as_compiled(Odd(2), game_of("tictactoe"))


def test_a_board_that_is_too_large_is_refused():
    with pytest.raises(InputError, match="too large for a page"):
        package("ntictactoe:3^7")


def test_a_package_is_the_same_each_time():
    first, second = (package("cube", "mcts:100") for _ in range(2))
    assert (first.as_json(), first.image) == (second.as_json(), second.image)


def test_modules_know_no_places_of_the_source():
    for kind in KINDS:
        assert b"inarow." not in read_module(kind)
