"""Play without Numba's inside: the same results, and one line that says so."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest

from inarow.engine import jit, numba_internals, numba_public
from inarow.engine.players import begin
from inarow.engine.streams import make_stream
from tests.engine.compiled import add_up

# `make versions` compares more learners, searches and a server, with every version of Numba.
COMPUTE = """
import json, numpy as np, inarow
from inarow.search.solver import Solver
def compute():
    run = inarow.train("tictactoe", "td", against="random", games=60, seed=1)
    values = {name: np.asarray(a).tobytes().hex() for name, a in run.agent.arrays.items()}
    match = inarow.match("tictactoe", run.agent, "attack", games=60, seed=1)
    some = Solver("connect4:4x4").solve("12")
    return [values, str(inarow.certify(run.agent)), str(match), str(some)]
"""


def run_plainly(code: str, **environment: str) -> Any:
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, jit.PLAIN: "1", **environment},
        capture_output=True,
        text=True,
        check=True,
    )


def test_results_are_the_same_and_it_is_said_in_one_line() -> None:
    ended = run_plainly(f"{COMPUTE}\nprint(json.dumps(compute()))")
    own: dict[str, Any] = {}
    exec(COMPUTE, own)
    assert json.loads(ended.stdout) == own["compute"]()
    assert ended.stderr.splitlines() == [
        f"{jit.PLAIN} is set: functions are compiled more slowly, and run as fast"
    ]


@pytest.mark.parametrize("version", ["0.61.2", "0.68.1"])
def test_known_versions_are_compiled_with_what_is_known(version, monkeypatch, caplog) -> None:
    monkeypatch.delenv(jit.PLAIN, raising=False)
    monkeypatch.setattr(numba, "__version__", version)
    assert jit.choose_compiler() is numba_internals
    assert not caplog.messages


@pytest.mark.parametrize("version", ["0.60.0", "0.99.0", "1.0.0", "0.dev1+2"])
def test_others_are_not(version, monkeypatch, caplog) -> None:
    monkeypatch.setattr(numba, "__version__", version)
    assert jit.choose_compiler() is numba_public
    assert caplog.messages == [
        f"Numba {version} is not known here: functions are compiled more slowly, and run as fast"
    ]


def test_nor_one_whose_inside_has_changed(monkeypatch, caplog) -> None:
    monkeypatch.delenv(jit.PLAIN, raising=False)
    monkeypatch.setitem(sys.modules, "inarow.engine.numba_internals", None)
    monkeypatch.delattr("inarow.engine.numba_internals")
    numba_public.code_can_be_kept.cache_clear()
    try:
        assert jit.choose_compiler() is numba_public
    finally:
        numba_public.code_can_be_kept.cache_clear()
    (said,) = caplog.messages
    assert said.startswith(f"the inside of Numba {numba.__version__} is another (")
    assert said.endswith("compiled more slowly, anew by each process, and run as fast")


def test_code_is_kept_and_read_again(tmp_path) -> None:
    for hits in range(2):
        compiled = numba_public.compile_function(add_up, str(tmp_path), for_callers=False)
        assert compiled(np.arange(10)) == 45
        assert sum(compiled.stats.cache_hits.values()) == hits
    assert [path.suffix for path in tmp_path.iterdir()] == [".code"]


def test_code_is_not_kept_where_that_does_not_work(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(numba_internals.CodeCache, "load_overload", lambda *_: None)
    numba_public.code_can_be_kept.cache_clear()
    try:
        compiled = numba_public.compile_function(add_up, str(tmp_path), for_callers=False)
        assert compiled(np.arange(10)) == 45
    finally:
        numba_public.code_can_be_kept.cache_clear()
    assert not list(tmp_path.iterdir())


def test_options_that_numba_does_not_have_are_left_out(monkeypatch) -> None:
    monkeypatch.setitem(numba_public.OPTIONS, "_nrt_of_old", False)
    monkeypatch.setattr(numba_public, "UNDOCUMENTED", numba_public.UNDOCUMENTED | {"_nrt_of_old"})
    numba_public.options_to_drop.cache_clear()
    try:
        compiled = numba_public.compile_function(add_up, None, False, forceinline=True)
        assert numba_public.options_to_drop() == numba_public.UNDOCUMENTED
        assert compiled(np.arange(10)) == 45
    finally:
        numba_public.options_to_drop.cache_clear()


class Stranger(NamedTuple):
    """A player that nobody registered."""

    number: int


@pytest.mark.parametrize("compiler", [numba_internals, numba_public])
def test_a_type_that_nobody_registered_is_named(compiler) -> None:
    class Doing(NamedTuple):
        double: Any

    def double(pair: Any) -> int:
        raise NotImplementedError

    @jit.jit_uncached
    def twice(pair: Any) -> int:
        return 2 * pair.number

    class Known(NamedTuple):
        number: int

    compiler.dispatch("pair", {Known: Doing(twice)})(double)
    call = jit.jit_uncached(lambda pair: double(pair))
    assert call(Known(4)) == 8
    with pytest.raises(TypeError, match=r"double of .*Stranger.* is unknown"):
        call(Stranger(4))


def test_a_player_that_nobody_registered_is_named() -> None:
    with pytest.raises(TypeError, match="begin of Stranger is unknown"):
        jit.jit_uncached(lambda player, stream: begin(player, stream))(Stranger(1), make_stream(0))
