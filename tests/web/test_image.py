"""Images: what a page's memory holds is what the arrays hold, bit for bit."""

from __future__ import annotations

import hashlib
import math
from typing import NamedTuple

import numpy as np
import pytest

from inarow.game import InputError
from inarow.learn.saved import from_small
from inarow.web.image import FIRST, Image, digest_of, layout_of
from tests.web.node import HERE, needs_node, run_node, scripts


class Tree(NamedTuple):
    """As the tree of a search."""

    nodes: np.ndarray  # scratch, by this name
    path: np.ndarray


class Other(NamedTuple):
    """With a field of that name, which is none of its scratch."""

    nodes: np.ndarray


ARRAYS = {
    "words": np.array([0, 2**64 - 1, 2**53 + 1], dtype=np.uint64),
    "zeros": np.zeros(1000),
    "weights": from_small(np.arange(-127, 128, dtype=np.int8)),
    "floats": np.array([0.1, -0.0, math.pi], dtype=np.float32),
    "negative zero": np.array([-0.0, 1 / 256], dtype=np.float32),
    "logarithms": np.array([math.log(n) for n in range(1, 100_001)]),
    "steps": np.arange(5.0),
    "table": np.arange(12, dtype=np.int16).reshape(3, 4),
    "many words": np.arange(3000, dtype=np.uint64) ** 5,
    "many numbers": -(np.arange(2000, dtype=np.int32).reshape(-1, 4) ** 2),
    "none": np.zeros(0, dtype=np.int32),
}


@needs_node
def test_memory_holds_the_arrays(tmp_path):
    image = Image()
    parts = [[image.address(array), array.nbytes] for array in ARRAYS.values()]
    (tmp_path / "image").write_bytes(image.packed())
    given = {"image": str(tmp_path / "image"), "pages": image.pages, "parts": parts}
    found = run_node(HERE / "memory.mjs", [str(scripts(tmp_path) / "worker.js")], given)
    wanted = [hashlib.sha256(array.tobytes()).hexdigest() for array in ARRAYS.values()]
    assert dict(zip(ARRAYS, found, strict=True)) == dict(zip(ARRAYS, wanted, strict=True))


def test_logarithms_take_little_room():
    image = Image()
    image.address(ARRAYS["logarithms"])
    assert len(image.packed()) < ARRAYS["logarithms"].nbytes / 20


def test_an_array_is_written_once():
    image, array = Image(), np.arange(3)
    first, second = image.arguments((array, array))
    assert first == second == ["a", FIRST, 8, 3]


def test_scratch_is_known_by_its_name():
    image, nodes = Image(), np.full(1000, 7, dtype=np.int32)
    image.arguments(Tree(nodes, np.zeros(1)))
    empty = Image()
    empty.arguments(Tree(np.zeros_like(nodes), np.zeros(1)))
    assert image.packed() == empty.packed()
    other = Image()
    other.arguments(Other(nodes))
    assert other.packed() != empty.packed()


def test_large_numbers_are_text():
    values = (2**62 + 1, np.uint64(2**64 - 1), True, 0.5, math.inf, np.int32(-3))
    assert Image().arguments(values) == [
        ["n", str(2**62 + 1)],
        ["n", str(2**64 - 1)],
        ["i", 1],
        ["f", "0.5"],
        ["f", "Infinity"],
        ["i", -3],
    ]


def test_layouts_tell_types_apart():
    layouts = {
        layout_of(value)
        for value in (
            (1, 2),
            (1, 2.0),
            (1, True),
            (1, np.int32(2)),
            (1, np.uint64(2)),
            Other(ARRAYS["table"]),
            Other(ARRAYS["words"]),
            (ARRAYS["table"],),
            (ARRAYS["table"][0],),
        )
    }
    assert len(layouts) == 9
    assert layout_of(Other(np.zeros(3))) == layout_of(Other(np.zeros(4)))
    assert len({digest_of(layout) for layout in layouts}) == 9


def test_what_does_not_fit_is_refused():
    with pytest.raises(InputError, match="too much for a page"):
        Image().address(np.zeros(2**28))
    with pytest.raises(InputError, match="not contiguous"):
        Image().address(np.zeros((4, 4))[:, 1])
    with pytest.raises(InputError, match="a dict cannot be handed"):
        Image().arguments({})
    with pytest.raises(InputError, match="a str cannot be handed"):
        layout_of("text")
