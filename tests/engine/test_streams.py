"""Random numbers: the published ones, even, and a stream for every seed and path."""

import itertools

import numpy as np
import pytest

from inarow.engine.streams import (
    EVALUATION,
    FIRST,
    LEARNER,
    SECOND,
    below,
    make_stream,
    mix,
    next_word,
    uniform,
)
from inarow.game import InputError
from inarow.plain.random_stream import RandomStream
from tests.engine.reference import plain_mix

# xoshiro256++ from the state {1, 2, 3, 4}, as the reference program prints it.
PUBLISHED = [
    41943041,
    58720359,
    3588806011781223,
    3591011842654386,
    9228616714210784205,
    9973669472204895162,
    14011001112246962877,
    12406186145184390807,
    15849039046786891736,
    10450023813501588000,
]


def test_the_published_numbers():
    stream = np.array([1, 2, 3, 4], dtype=np.uint64)
    assert [int(next_word(stream)) for _ in PUBLISHED] == PUBLISHED
    plain = RandomStream([1, 2, 3, 4])
    assert [plain.next_word() for _ in PUBLISHED] == PUBLISHED


@pytest.mark.parametrize("seed", [0, 1, 2**64 + 5])
def test_every_draw_is_the_plain_one(seed):
    stream = make_stream(seed, 3)
    plain = RandomStream(stream)
    for draw in range(300):
        if draw % 3 == 0:
            assert int(next_word(stream)) == plain.next_word()
        elif draw % 3 == 1:
            assert below(stream, 1 + draw) == plain.below(1 + draw)
        else:
            assert uniform(stream) == plain.uniform()
        assert stream.tolist() == plain.words


def test_mix_is_the_plain_one():
    stream = RandomStream([5, 6, 7, 8])
    for word in [0, 1, 2**63, 2**64 - 1, *(stream.next_word() for _ in range(50))]:
        assert int(mix(np.uint64(word))) == plain_mix(word)
    # The first output of splitmix64 with seed 0, which is the hash of its constant.
    assert int(mix(np.uint64(0x9E3779B97F4A7C15))) == 0xE220A8397B1DCDAF


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 10, 64, 4096])
def test_below_is_in_range_and_even(limit):
    stream, draws = make_stream(11, limit), 30 * limit
    counts = np.bincount([below(stream, limit) for _ in range(draws)], minlength=limit)
    assert len(counts) == limit
    assert counts.min() > 0
    chi_square = float(((counts - 30) ** 2 / 30).sum())
    freedom = limit - 1
    assert abs(chi_square - freedom) <= 5 * (2 * freedom) ** 0.5


def test_below_takes_the_upper_bits():
    for high, expected in [(0, 0), (2**31, 5), (2**32 - 1, 9)]:
        # With s0 = 0 the next word is s3 turned by 23 bits.
        word = high << 32
        turned = (word >> 23 | word << 41) & (2**64 - 1)
        stream = np.array([0, 1, 2, turned], dtype=np.uint64)
        assert below(stream, 10) == expected


def test_uniform_is_from_0_to_1_without_it():
    stream = make_stream(12)
    numbers = np.array([uniform(stream) for _ in range(20_000)])
    assert 0 <= numbers.min() < 0.001
    assert 0.999 < numbers.max() < 1
    assert abs(numbers.mean() - 0.5) < 5 / np.sqrt(12 * 20_000)
    counts = np.histogram(numbers, bins=20, range=(0, 1))[0]
    assert ((counts - 1000) ** 2 / 1000).sum() < 19 + 5 * np.sqrt(38)
    for word, expected in [(0, 0.0), (2**64 - 1, 1 - 2**-53)]:
        assert uniform(np.array([0, 1, 2, word], dtype=np.uint64)) == expected


def test_streams_of_different_seeds_and_paths_differ():
    kinds = (FIRST, SECOND, LEARNER, EVALUATION)
    assert len(set(kinds)) == 4
    paths = [(), *((kind,) for kind in kinds), *itertools.product(kinds, range(3))]
    paths += [(kind, swap, chunk) for kind in kinds for swap in (0, 1) for chunk in range(4)]
    starts = {tuple(make_stream(seed, *path).tolist()) for seed in range(20) for path in paths}
    assert len(starts) == 20 * len(paths)
    words = {int(next_word(make_stream(seed, *path))) for seed in range(20) for path in paths}
    assert len(words) == 20 * len(paths)


def test_the_same_seed_gives_the_same_numbers():
    one, other = make_stream(7, 1, 2), make_stream(7, 1, 2)
    assert one is not other
    assert [int(next_word(one)) for _ in range(10)] == [int(next_word(other)) for _ in range(10)]
    # What a seed means must not change: results are quoted with their seeds.
    assert make_stream(0).tolist() == [
        int(word) for word in np.random.SeedSequence(0).generate_state(4, np.uint64)
    ]


def test_a_negative_seed_is_refused():
    with pytest.raises(InputError, match=r"seed -1 is negative: .* from 0"):
        make_stream(-1)
