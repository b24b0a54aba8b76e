"""What a seed gives on two kinds of processors: tables the same bits, layers of networks nearly."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from llvmlite.binding import get_host_cpu_features

from inarow.lab.machine import made_with

# One finished game of SARSA, and one layer of a network; printed as bits.
CODE = """
import numpy as np
from inarow.engine.jit import jit
from inarow.lab.machine import made_with
from inarow.learn.layers import dot
from inarow.learn.tabular.update_rules import backward_sarsa

@jit
def learn(values, path):
    backward_sarsa(values, path, 5, 11.0, 0.45, 0.7, True)

@jit
def layer(rows, units, sums):
    for i in range(len(sums)):
        sums[i] = dot(rows, i * len(units), units, 0, len(units))

random = np.random.default_rng(1)
values, path = random.random(5), np.arange(5, dtype=np.uint32)
learn(values, path)
rows, units, sums = (random.standard_normal(n).astype("f4") for n in (50 * 304, 304, 50))
layer(rows, units, sums)
print(made_with()["compiled_for"], values.tobytes().hex(), sums.tobytes().hex())
"""
# The kind that all can run, and another name with what this one can do: vectors of other lengths.
KINDS = ("generic", "x86-64-v3")


def run(kind: str, folder: Path) -> list[str]:
    environment = {**os.environ, "NUMBA_CPU_NAME": kind, "NUMBA_CACHE_DIR": str(folder)}
    done = subprocess.run(
        [sys.executable, "-c", CODE], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.split()


@pytest.mark.skipif(not get_host_cpu_features().get("avx2"), reason="no vectors of two lengths")
def test_tables_give_the_same_bits_on_two_kinds_and_layers_do_not(tmp_path: Path) -> None:
    found = [run(kind, tmp_path / kind) for kind in KINDS]
    assert tuple(kind for kind, *_ in found) == KINDS
    assert found[0][1] == found[1][1]
    one, other = (np.frombuffer(bytes.fromhex(sums), np.float32) for *_, sums in found)
    assert one.tolist() != other.tolist()  # else we would say too little of networks
    np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)


def test_results_say_what_code_was_compiled_for() -> None:
    assert made_with()["compiled_for"]
    assert made_with()["processor"]
