"""Policies over many games at once: trained, cut, measured and refused as other learners are."""

from __future__ import annotations

import numpy as np
import pytest

import inarow
from inarow.game import InputError
from inarow.lab.evaluation import evaluate
from inarow.lab.studies.study import run_slice
from inarow.lab.training.run import Run, continue_training, run_from
from inarow.learn import registry
from inarow.learn.learner import DRAWS, LOSSES, WINS
from inarow.learn.policy_learner import look_at
from inarow.learn.registry import learner_type, register
from tests.pages import DOCS, blocks

PAGE = DOCS / "tutorials" / "policy.md"
WORK = "inarow.lab.training.driver:TrainingWork"


def class_of(file):
    """A class of the page, as a person would have it in a file."""
    (text,) = (block.text for block in blocks(PAGE) if block.file == file)
    names = {"__name__": file.removesuffix(".py")}
    exec(compile(text, file, "exec", dont_inherit=True), names)
    return next(own for own in names.values() if getattr(own, "name", "") == names["__name__"])


Policy = class_of("policy.py")


@pytest.fixture(autouse=True)
def named(monkeypatch):
    monkeypatch.setattr(registry, "_named", {})
    register(Policy)


@pytest.fixture(params=["policy", "policy_net"])
def policy(request):
    """Each policy of the page; that in PyTorch where PyTorch is installed."""
    if request.param == "policy_net":
        pytest.importorskip("torch", reason="PyTorch is not installed")
        return register(class_of("policy_net.py")).written
    return Policy


@pytest.mark.parametrize("against", [None, "attack-defense", "perfect"])
def test_a_run_that_is_cut_gives_the_same_bits(policy, against):
    options = {"batch": 16, "hidden": 8}
    whole = Run("tictactoe", policy, options, against, 3)
    continue_training(whole, 100)
    cut = Run("tictactoe", policy, options, against, 3)
    for games in (1, 16, 33, 48, 100):
        continue_training(cut, games)
        cut = run_from(cut.state())
    assert cut.state() == whole.state()
    assert cut.games == 100
    continue_training(cut, 130)
    continue_training(whole, 130)
    assert cut.state() == whole.state()


def test_it_learns(policy):
    scores = []
    for games in (2, 8000):
        run = inarow.train("tictactoe", policy, "random", games, seed=1, batch=16)
        scores += evaluate(run.agent, "score:random:400", 1).values()
    assert scores[0] < 0.6
    assert scores[1] > 0.75


class Noted(Policy):
    """Keeps what it was given."""

    name = "noted"

    def begin(self, game):
        super().begin(game)
        self.asked, self.rounds = [], []

    def choose(self, observations, action_masks, explore):
        self.asked.append((observations.shape, explore))
        return super().choose(observations, action_masks, explore)

    def learn(self, moves):
        self.rounds.append(moves)


@pytest.mark.parametrize("game", ["tictactoe", "connect4:4x5", "ntictactoe:3^3", "mnk:9x9x5"])
@pytest.mark.parametrize(
    ("against", "side"), [(None, "both"), ("attack", "both"), ("defense", "second")]
)
def test_a_round_is_games_that_can_be_played_again(game, against, side):
    run = Run(game, Noted, {"batch": 6, "side": side}, against, 5)
    continue_training(run, 12)
    own = run.training.own
    assert len(own.rounds) == 2
    assert all(explore for _, explore in own.asked)
    ends = [0, 0, 0]
    for moves in own.rounds:
        assert (moves.left == 0).sum() == (12 if against is None else 6)
        played = {}
        for row, left in enumerate(moves.left.tolist()):
            seen, mask = moves.observations[row], moves.action_masks[row]
            assert mask[moves.actions[row]]
            if left:  # the same side moves again: its stones are there, one more
                after = moves.observations[row + 1]
                assert moves.left[row + 1] == left - 1
                assert moves.results[row + 1] == moves.results[row]
                assert after[0].sum() == seen[0].sum() + 1
                assert (after[0] >= seen[0]).all()
                assert (after[1] >= seen[1]).all()
            played.setdefault(int(seen.sum()), []).append(row)
        results = moves.results[moves.left == 0].tolist()
        firsts = results[::2] if against is None else results
        if against is None:  # what one side wins the other loses
            assert [-result for result in results[1::2]] == firsts
        for result in firsts:
            ends[0 if result > 0 else 1 if result == 0 else 2] += 1
        plies = set(played)
        if side == "second":
            assert all(ply % 2 for ply in plies)
        else:
            assert 0 in plies
    counts = run.training.counts
    assert ends == [counts[WINS], counts[DRAWS], counts[LOSSES]]


def test_against_itself_a_round_is_whole_games():
    """Rebuilt from its rows, each game ends as it was paid."""
    run = Run("tictactoe", Noted, {"batch": 4}, None, 1)
    continue_training(run, 4)
    (moves,) = run.training.own.rounds
    sides = np.split(np.arange(len(moves.left)), np.flatnonzero(moves.left == 0) + 1)[:-1]
    for first, second in zip(sides[::2], sides[1::2], strict=True):
        position = inarow.game("tictactoe").position()
        order = sorted([*first, *second], key=lambda row: moves.observations[row].sum())
        for row in order:
            planes, mask = look_at(position)
            assert (planes[0] == moves.observations[row]).all()
            assert (mask[0] == moves.action_masks[row]).all()
            position.push(int(moves.actions[row]))
        winner = position.outcome.winner
        expected = 0 if winner is None else 1 if winner == 1 else -1
        assert (moves.results[first] == expected).all()
        assert (moves.results[second] == -expected).all()


def test_studies_take_it_and_go_on_with_the_same_rows(policy):
    config = {"game": "tictactoe", "learner": policy.name, "games": 90, "evaluate_at": [20, 64]}
    config |= {"evaluations": ["score:random:20"], "batch": 32}
    whole = run_slice(WORK, config, 1, None, 1e9).measurements
    rows, state = [], None
    while True:
        piece = run_slice(WORK, config, 1, state, 0.0)
        rows, state = rows + piece.measurements, piece.state
        if piece.finished:
            break
    assert rows == whole


def test_a_certificate_rests_on_what_is_declared():
    class Undeclared(Policy):
        """It does not say how it answers."""

        name = "undeclared"
        deterministic = False

    declared = inarow.train("tictactoe", Policy, games=64)
    observed = inarow.train("tictactoe", Undeclared, games=64)
    assert inarow.certify(declared.agent).proven
    assert not inarow.certify(observed.agent).proven
    with pytest.raises(InputError, match="is exact, and undeclared does not say"):
        inarow.train("tictactoe", Undeclared, games=64, evaluations=["exploitability"])


def test_its_agents_are_saved_play_and_say_values(policy, tmp_path):
    run = inarow.train("connect4:4x5", policy, games=128, seed=2)
    run.save(tmp_path / "a.safetensors")
    agent = inarow.player(str(tmp_path / "a.safetensors"))
    place = inarow.game("connect4:4x5").position("11")
    assert agent.move(place) == run.agent.move(place)
    played = inarow.match("connect4:4x5", agent, "random", games=10, seed=1)
    assert played.total.games == 10
    found = inarow.arena("connect4:4x5", [agent, "random"], games=4, seed=1)
    assert len(found.ranking) == 2
    with pytest.raises(InputError, match="does not say what it expects"):
        agent.values(place)

    class Valued(policy):
        """It says values."""

        name = "valued"

        def values(self, observations, action_masks):  # noqa: ARG002
            return np.arange(action_masks.size, dtype=float).reshape(action_masks.shape)

    valued = inarow.train("connect4:4x5", Valued, games=2).agent
    assert valued.values(place) == {0: 0.0, 1: 1.0, 2: 2.0, 3: 3.0, 4: 4.0}


def test_its_options_are_listed_and_kept():
    kind = register(type("Large", (Policy,), {"name": "large", "batch": 256}))
    assert kind().batch == 256
    assert learner_type("policy")().batch == 16
    assert inarow.train("tictactoe", Policy, games=2, batch=2, rate=0.5).games == 2


def answering(answer):
    """A policy that always gives one answer."""
    return type("A", (Policy,), {"name": "a", "choose": lambda self, o, m, e: answer(o, m)})


def diverging(self, moves):  # noqa: ARG001
    self.weights[0][:] = np.nan


@pytest.mark.parametrize(
    ("kind", "options", "said"),
    [
        (answering(lambda o, m: 3), {}, r"a whole number for each of 16 positions, not int64\[\]"),
        (answering(lambda o, m: m.argmax(1) / 1), {}, r"not float64\[16\]"),
        (answering(lambda o, m: np.full(len(m), 9)), {}, "chose the move 9, where 0, 1, 2"),
        (answering(lambda o, m: np.full(len(m), -1)), {}, "chose the move -1, where"),
        (answering(lambda o, m: np.zeros(len(m), int)), {}, "chose the move 0, where 1, 2"),
        (Policy, {"batch": 7}, "an even number, not 7"),
        (Policy, {"batch": 0}, "between 2 and 65,536"),
        (
            type("B", (Policy,), {"learn": lambda self: None}),
            {},
            r"written learn\(self, moves",
        ),
        (type("C", (Policy,), {"name": "c", "learn": diverging}), {}, "training diverged"),
        (type("D", (Policy,), {"__init__": lambda self, batch=1: None}), {}, "called batch"),
        (type("E", (), {"choose": lambda self, o, m, e: 0}), {}, "E cannot be used: it does not"),
    ],
)
def test_what_is_no_policy_is_one_line(kind, options, said):
    with pytest.raises(InputError, match=said) as caught:
        inarow.train("tictactoe", kind, games=100, **options).agent  # noqa: B018
    assert "\n" not in str(caught.value)


class Centre:
    """A player that only Python can ask."""

    name = "centre"

    def move(self, position):
        return sorted(position.legal_moves, key=lambda move: abs(move - 4))[0]


@pytest.mark.parametrize("side", ["first", "second", "both"])
def test_any_player_can_be_its_opponent(side):
    run = Run("tictactoe", Noted, {"batch": 4, "side": side}, Centre(), 1)
    continue_training(run, 8)
    for moves in run.training.own.rounds:  # once it has moved, the centre is taken
        later = moves.observations.sum(axis=(1, 2, 3)) > 0
        assert moves.observations[later][:, :, 1, 1].any(axis=1).all()
    assert run.training.counts[0] == 8


def test_an_opponent_in_python_gets_the_answers_of_a_compiled_one(monkeypatch):
    """The same games, whether the opponent answers in compiled loops or is asked."""
    compiled = Run("tictactoe", Policy, {"batch": 8}, "defense", 1)
    monkeypatch.setattr("inarow.learn.policy_learner._compiled", lambda *given: None)
    asked = Run("tictactoe", Policy, {"batch": 8}, "defense", 1)
    continue_training(compiled, 16)
    continue_training(asked, 16)
    assert compiled.training._replies
    assert not asked.training._replies
    assert asked.state() == compiled.state()
