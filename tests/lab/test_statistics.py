"""Intervals and ratings: numbers worked out by hand, and laws."""

import math

import numpy as np
import pytest

from inarow.game import InputError
from inarow.lab.statistics import (
    ELO,
    Z95,
    bootstrap_interval,
    bradley_terry,
    difference,
    probability_of_improvement,
    share_text,
    student,
    summary,
    wilson,
)


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [
        # Newcombe 1998, method 3, as printed there.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
        # By hand: half of the trials, and all or none, where the interval is z2 / (n + z2) wide.
        (5, 10, 0.2366, 0.7634),
        (50, 100, 0.4038, 0.5962),
        (0, 10, 0.0, 3.841459 / 13.841459),
        (10, 10, 10 / 13.841459, 1.0),
        (1, 1, 1 / 4.841459, 1.0),
    ],
)
def test_wilson_by_hand(successes, trials, low, high):
    assert wilson(successes, trials) == pytest.approx((low, high), abs=5.1e-5)


def test_wilson_is_scipys():
    stats = pytest.importorskip("scipy.stats")
    assert stats.norm.ppf(0.975) == pytest.approx(Z95, abs=1e-12)
    for trials in (1, 2, 7, 100, 10**6):
        for successes in {0, 1, trials // 3, trials // 2, trials}:
            expected = stats.binomtest(successes, trials).proportion_ci(0.95, method="wilson")
            assert wilson(successes, trials) == pytest.approx((expected.low, expected.high))


def test_wilson_mirrors_and_narrows():
    for successes in (0, 3, 7.5, 10):
        one, other = wilson(successes, 10), wilson(10 - successes, 10)
        assert one.low == pytest.approx(1 - other.high)
        assert 0 <= one.low <= one.high <= 1
        assert one.low - 1e-12 <= successes / 10 <= one.high + 1e-12
    widths = [(i := wilson(n / 2, n)).high - i.low for n in (10, 100, 1000, 10**9)]
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] < 1e-4


def scores(pairs: dict[tuple[int, int], tuple[float, float]], players: int) -> np.ndarray:
    table = np.zeros((players, players))
    for (i, j), (one, other) in pairs.items():
        table[i, j], table[j, i] = one, other
    return table


@pytest.mark.parametrize(("won", "lost"), [(50, 50), (75, 25), (90, 10), (3, 1), (999, 1)])
def test_two_players_have_the_closed_form(won, lost):
    """Odds are the ratio of scores, with the drawn game that is added."""
    one, other = bradley_terry(scores({(0, 1): (won, lost)}, 2))
    difference = ELO * math.log((won + 0.5) / (lost + 0.5))
    assert one.rating - other.rating == pytest.approx(difference, abs=1e-6)
    assert one.rating + other.rating == pytest.approx(0, abs=1e-9)
    # The variance of the difference is 1 / (n p (1 - p)); each of the two has half of it.
    games, share = won + lost + 1, (won + 0.5) / (won + lost + 1)
    half = Z95 * ELO / math.sqrt(games * share * (1 - share)) / 2
    assert (one.high - one.low) / 2 == pytest.approx(half, rel=1e-6)
    assert (one.high + one.low) / 2 == pytest.approx(one.rating, abs=1e-6)


def test_ten_to_one_is_400():
    one, other = bradley_terry(scores({(0, 1): (10**7, 10**6)}, 2))
    assert one.rating - other.rating == pytest.approx(400, abs=1e-3)


def test_known_strengths_come_back():
    """Scores that are exactly the model's give its strengths, whatever the schedule."""
    strength = np.array([200.0, 50.0, 0.0, -250.0])
    table, games = np.zeros((4, 4)), 1e7
    for i in range(4):
        for j in range(4):
            if i != j:
                table[i, j] = games / (1 + 10 ** ((strength[j] - strength[i]) / 400))
    ratings = [rating.rating for rating in bradley_terry(table)]
    assert ratings == pytest.approx(strength - strength.mean(), abs=0.01)


def test_ratings_sum_to_0_and_rank_by_score():
    generator = np.random.default_rng(1)
    for players in (2, 3, 6):
        table = generator.integers(0, 100, (players, players)).astype(float)
        np.fill_diagonal(table, 0)
        before = table.copy()
        ratings = bradley_terry(table)
        assert (table == before).all()
        assert sum(rating.rating for rating in ratings) == pytest.approx(0, abs=1e-6)
        for rating in ratings:
            assert rating.low < rating.rating < rating.high


def test_a_player_who_always_wins_is_finite():
    ratings = bradley_terry(scores({(0, 1): (1000, 0), (0, 2): (1000, 0), (1, 2): (500, 500)}, 3))
    assert all(math.isfinite(number) for rating in ratings for number in rating)
    assert ratings[0].rating > 800
    assert ratings[1].rating == pytest.approx(ratings[2].rating, abs=1e-6)
    more = bradley_terry(scores({(0, 1): (10**6, 0), (0, 2): (10**6, 0), (1, 2): (1, 1)}, 3))
    assert more[0].rating > ratings[0].rating
    assert math.isfinite(more[0].high)


def test_more_games_make_narrower_intervals():
    widths = []
    for games in (10, 100, 1000, 10_000):
        one = bradley_terry(scores({(0, 1): (0.6 * games, 0.4 * games)}, 2))[0]
        widths.append(one.high - one.low)
    assert widths == sorted(widths, reverse=True)
    assert widths[1] / widths[3] == pytest.approx(10, rel=0.01)


def test_equal_players_are_equal():
    ratings = bradley_terry(np.full((5, 5), 7.0) - 7 * np.eye(5))
    assert [rating.rating for rating in ratings] == pytest.approx([0] * 5, abs=1e-9)


def test_an_interval_covers_as_often_as_it_says():
    """Of 400 sampled pairs, about 95 in 100 intervals hold the true difference."""
    generator, true, covered = np.random.default_rng(3), 100.0, 0
    chance = 1 / (1 + 10 ** (-true / 400))
    for _ in range(400):
        won = int(generator.binomial(200, chance))
        one, other = bradley_terry(scores({(0, 1): (won, 200 - won)}, 2))
        covered += one.low - other.high <= true <= one.high - other.low
    assert abs(covered - 380) <= 5 * (400 * 0.95 * 0.05) ** 0.5


def test_shares_for_people():
    assert share_text(0.585, (0.584, 0.586)) == "58.5% (58.4-58.6)"
    assert share_text(1.0, (0.9, 1.0)) == "100.0% (90.0-100.0)"


def test_a_summary_by_hand():
    """Deviations -3, -1, 1, 3: variance 20 / 3, standard error its root over 2."""
    found = summary([2, 4, 6, 8])
    assert found.mean == 5
    assert found.stderr == pytest.approx(math.sqrt(20 / 3) / 2)
    assert found.runs == 4
    # Student's quantile for three degrees of freedom is 3.18245.
    assert (found.low, found.high) == pytest.approx(
        (5 - 3.18245 * found.stderr, 5 + 3.18245 * found.stderr), rel=1e-5
    )


def test_the_interval_of_many_runs_is_the_normal_one():
    """Of many values the mean is normal: 1.96 standard errors to each side."""
    values = np.random.default_rng(1).normal(3.0, 2.0, 2000)
    found = summary(values)
    assert found.low == pytest.approx(found.mean - Z95 * found.stderr, abs=0.1 * found.stderr)
    assert found.high == pytest.approx(found.mean + Z95 * found.stderr, abs=0.1 * found.stderr)


def test_two_runs_say_little():
    """Student's quantile for one degree of freedom is 12.7062; the standard error is 1/2."""
    assert summary([1, 2])[2:] == pytest.approx((1.5 - 6.3531, 1.5 + 6.3531, 2), rel=1e-4)


@pytest.mark.parametrize("runs", [2, 3, 5, 9, 10, 14])
def test_an_interval_of_few_runs_covers_as_often_as_it_says(runs):
    """The old one, a plain bootstrap, held the true mean of two runs in half of the cases."""
    generator, covered = np.random.default_rng(runs), 0
    for _ in range(200):
        found = summary(generator.normal(0.0, 1.0, runs))
        covered += found.low <= 0 <= found.high
    assert 180 <= covered <= 199


def test_shares_of_runs_have_wilsons_interval():
    assert summary([0, 1, 1, 1])[2:4] == wilson(3, 4)
    assert summary([0.0] * 20)[2:4] == wilson(0, 20)
    assert summary([1.0] * 3) == (1, 0, *wilson(3, 3), 3)


def test_the_interval_leans_to_the_long_tail():
    values = [0.0] * 18 + [1.0, 10.0]
    found = summary(values)
    assert found.high - found.mean > 1.5 * (found.mean - found.low) > 0


@pytest.mark.parametrize("values", [[0.1], [0.1, 0.1], [0.1] * 3, [0.7] * 100])
def test_equal_runs_have_no_spread(values):
    assert summary(values) == (values[0], 0, values[0], values[0], len(values))
    assert probability_of_improvement(values, values) == (0.5, 0.5, 0.5)


def test_there_is_always_an_interval():
    """Also of data on which BCa fails: all but one are equal."""
    for values in (
        [0, 0, 1],
        [1, 1, 1, 1, 9],
        [0] * 99 + [1],
        [0, 5, 5, 5, 5, 5, 5, 9],
        [1e9, 0],
    ):
        one = summary(values)
        assert all(map(math.isfinite, one))
        assert one.low < one.mean < one.high


def test_the_same_data_give_the_same_interval():
    values = [3, 1, 4, 1, 5, 9, 2, 6]
    assert summary(values) == summary(np.array(values))


def test_the_interval_of_many_runs_is_the_bootstrap_made_wider():
    """As docs/explanations/statistics.md says: from ten runs on, and Student's below."""
    values = np.random.default_rng(1).exponential(size=25)
    plain, found = bootstrap_interval(values), summary(values)
    wider = student(24) / Z95 * math.sqrt(25 / 24)
    assert found.low == pytest.approx(found.mean - wider * (found.mean - plain.low))
    assert found.high == pytest.approx(found.mean + wider * (plain.high - found.mean))
    assert plain.high - found.mean > found.mean - plain.low  # the values are skewed
    few = summary(values[:9])
    assert few.high - few.mean == pytest.approx(student(8) * few.stderr)
    assert bootstrap_interval([3.0, 3.0]) == (3.0, 3.0)


def test_bootstrap_intervals_cover_about_as_often_as_they_say():
    generator, covered = np.random.default_rng(5), 0
    for _ in range(100):
        found = summary(generator.exponential(1.0, 40))
        covered += found.low <= 1 <= found.high
    assert 84 <= covered <= 99


def test_improvement_by_hand():
    """3 beats 1 and 2 and equals 3; 2 beats 1 and equals 2: 4 of 6."""
    found = probability_of_improvement([3, 2], [1, 2, 3])
    assert found.value == pytest.approx((2.5 + 1.5) / 6)
    assert 0 <= found.low < found.value < found.high <= 1
    above, below = ([5, 6, 7], [1, 2]), ([1, 2], [5, 6, 7])
    assert probability_of_improvement(*above)[::2] == (1, 1)
    assert 0.3 < probability_of_improvement(*above).low < 0.9  # so few runs do not say more
    assert probability_of_improvement(*below)[:2] == (0, 0)
    assert 0.1 < probability_of_improvement(*below).high < 0.7
    assert probability_of_improvement([2], [1]) == pytest.approx((1, *wilson(1, 1)))
    one = probability_of_improvement([1, 5, 7, 8], [2, 3, 6])
    other = probability_of_improvement([2, 3, 6], [1, 5, 7, 8])
    assert (one.value, one.low) == pytest.approx((1 - other.value, 1 - other.high))


@pytest.mark.parametrize("shift", [0.0, 1.0, 3.0])
def test_intervals_of_improvement_cover_about_as_often_as_they_say(shift):
    generator, covered, true = np.random.default_rng(7), 0, 0.5 * math.erfc(-shift / 2)
    for _ in range(200):
        ours, theirs = generator.normal(shift, 1, 5), generator.normal(0, 1, 6)
        found = probability_of_improvement(ours, theirs)
        covered += found.low <= true <= found.high
    assert covered >= 184


@pytest.mark.parametrize("values", [[], [1.0, math.nan], [math.inf], [[1.0, 2.0]]])
def test_what_is_no_row_of_numbers_is_refused(values):
    for function in (summary, lambda v: probability_of_improvement(v, [1])):
        with pytest.raises(InputError, match="finite numbers in a row"):
            function(values)


def test_difference_of_shares_is_newcombes():
    """Newcombe (1998), method 10: 56 of 70 against 48 of 80."""
    one, other = [1] * 56 + [0] * 14, [1] * 48 + [0] * 32
    assert difference(one, other) == pytest.approx((0.2, 0.0524, 0.3339), abs=1e-4)


def test_difference_of_means_is_welchs():
    from scipy.stats import ttest_ind

    one, other = [3.1, 2.2, 4.0, 5.5], [1.0, 1.5, 0.2, 1.1, 9.0]
    test = ttest_ind(one, other, equal_var=False).confidence_interval()
    value, low, high = difference(one, other)
    assert (low, high) == pytest.approx((test.low, test.high))
    assert value == pytest.approx(np.mean(one) - np.mean(other))
    assert difference([2, 2], [5, 5, 5]) == (-3, -3, -3)
    assert math.isnan(difference([2], [5, 5, 5]).low)
