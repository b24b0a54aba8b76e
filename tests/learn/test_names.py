"""Options of learners: what no learner takes is said when it is made, with the option's name."""

import pytest

from inarow.game import InputError
from inarow.learn.learner import SCHEDULES, SHARES
from inarow.learn.registry import LEARNERS, learner

OPTIONS = [
    (name, option) for name in LEARNERS for option in vars(learner(name)) if option != "seed"
]


@pytest.mark.parametrize(("name", "option"), [o for o in OPTIONS if o[1] in SHARES])
def test_shares_are_from_0_to_1(name, option):
    for value in (0, 1, "0.5"):
        assert getattr(learner(name, {option: value}), option) == float(value)
    for value in (-0.1, "1.5", "nan", "inf"):
        with pytest.raises(InputError, match=f"^{name}: option {option} is "):
            learner(name, {option: value})


@pytest.mark.parametrize(("name", "option"), [o for o in OPTIONS if o[1] in SCHEDULES])
def test_schedules_are_read_at_once(name, option):
    assert getattr(learner(name, {option: "0.5*0.9/10>0.1"}), option) == "0.5*0.9/10>0.1"
    for value, line in (("-1", "starts at 0 or more"), ("abc", "no number and no schedule")):
        with pytest.raises(InputError, match=f"^{name}: option {option}: .*{line}"):
            learner(name, {option: value})


@pytest.mark.parametrize("name", [name for name, option in OPTIONS if option == "epsilon"])
def test_no_more_moves_are_random_than_there_are(name):
    with pytest.raises(InputError, match="option epsilon is a share of moves, from 0 to 1"):
        learner(name, {"epsilon": "2"})


@pytest.mark.parametrize(
    ("name", "option"), [o for o in OPTIONS if isinstance(getattr(learner(o[0]), o[1]), float)]
)
def test_numbers_are_numbers(name, option):
    for value in ("nan", "inf", "-inf"):
        with pytest.raises(InputError, match=f"option {option} is a number, not"):
            learner(name, {option: value})
