"""Learners say what they are: options, ranges and games, checked when a learner is made."""

import importlib
import sys

import pytest

from inarow.game import InputError, plugins
from inarow.game import game as game_of
from inarow.learn import registry
from inarow.learn.learner import ITSELF, PLAYER, Learner
from inarow.learn.options import at_least, option, options_of_type, written
from inarow.learn.registry import BUILT_IN, learner, learner_type, learners, register

OPTIONS = [
    (name, each) for name, kind in learners().items() for each in options_of_type(kind).values()
]


@pytest.mark.parametrize("name", BUILT_IN)
def test_learners_describe_themselves(name):
    kind = learner_type(name)
    assert (kind.name, learners()[name]) == (name, kind)
    assert kind.about().endswith(".")
    assert set(kind.opponents) <= {ITSELF, PLAYER}
    assert kind.opponents
    for game, options in kind.suits.items():
        made = learner(name, options)
        made.check(game_of(game), ITSELF not in kind.opponents)
        made.layout(game_of(game), 0, None)
    for each in options_of_type(kind).values():
        assert each.about
        assert not each.about.endswith(".")
        assert each.as_json()["default"] == getattr(learner(name), each.name)


@pytest.mark.parametrize(("name", "each"), OPTIONS)
def test_every_option_is_held_to_what_it_says(name, each):
    allowed, default = each.allowed, each.default
    assert getattr(learner(name, {each.name: str(default)}), each.name) == default
    if allowed.choices:
        for choice in allowed.choices:
            assert getattr(learner(name, {each.name: choice}), each.name) == choice
        with pytest.raises(InputError, match=f"^option {each.name} must be one of .*, not 'x'$"):
            learner(name, {each.name: "x"})
    if allowed.scheduled:
        assert getattr(learner(name, {each.name: "0.5*0.9/10>0.1"}), each.name) == "0.5*0.9/10>0.1"
        for value, line in (
            ("-1", "starts at 0 or more"),
            ("abc", "neither a number nor a schedule"),
        ):
            with pytest.raises(InputError, match=f"^option {each.name}: .*{line}"):
                learner(name, {each.name: value})
    if isinstance(default, float):
        for value in ("nan", "inf", "-inf", "x"):
            with pytest.raises(InputError, match=f"^option {each.name} must be a number, not"):
                learner(name, {each.name: value})
    if isinstance(default, bool):
        with pytest.raises(InputError, match=f"^option {each.name} must be yes or no, not 7$"):
            learner(name, {each.name: 7})
    elif isinstance(default, int):
        with pytest.raises(
            InputError, match=f"^option {each.name} must be a whole number, not 1.5"
        ):
            learner(name, {each.name: 1.5})
    for end, beyond in ((allowed.low, -1), (allowed.high, 1)):  # their ends included
        if abs(end) < float("inf") and not isinstance(default, bool):
            if each.name != "replay":  # which a board bounds, too
                learner(name, {each.name: end})
            with pytest.raises(InputError, match=f"^option {each.name}(:| must be )"):
                learner(name, {each.name: end + beyond})


def test_epsilon_and_alpha_are_shares():
    for given in ({"alpha": 7}, {"alpha": "7"}):
        with pytest.raises(InputError, match=r"^option alpha must be between 0 and 1, not 7$"):
            learner("td", given)
    with pytest.raises(InputError, match=r"^option epsilon must be between 0 and 1, not 2$"):
        learner("mlp", {"epsilon": "2"})


def test_an_option_needs_a_sentence():
    class Silent(Learner):
        """Says nothing of its option."""

        name = "silent"
        speed: int = 3
        layout = begin = agent = None  # type: ignore[assignment]

    with pytest.raises(InputError, match=r"Silent.speed must be declared by option"):
        options_of_type(Silent)


# Learners from elsewhere

OUTSIDE = """
from inarow.learn.options import at_least, option
from inarow.learn.tabular.action_values import ActionValueLearner
from inarow.learn.tabular.td import TD

class Slow(TD):
    \"\"\"TD that takes its time.\"\"\"
    name = "slow"
    patience: int = option(3, "how long it waits", at_least(1), "games")

class Unfinished(ActionValueLearner):
    name = "unfinished"

class Sizes(TD):
    name = "sizes"
    sizes: tuple = option((3, 4), "sizes of layers")
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    """A module in the current folder, forgotten afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(registry, "_named", {})
    (tmp_path / "slow_learners.py").write_text(OUTSIDE)
    yield "slow_learners:Slow"
    sys.modules.pop("slow_learners", None)


def test_what_nobody_has_named_is_not_imported(module):
    for name in (module, "slow"):
        with pytest.raises(InputError, match=r"made known by inarow --learner .*:.* COMMAND"):
            learner_type(name)
    assert "slow_learners" not in sys.modules
    assert registry.register_address(module).name == "slow"
    assert learner_type("slow") is learner_type(module) is learners()["slow"]
    assert learner("slow", {"patience": "2", "side": "first"}).patience == 2
    with pytest.raises(InputError, match=r"^option patience must be 1 or more, not 0$"):
        learner("slow", {"patience": 0})
    assert registry.registered_addresses() == [module]


@pytest.mark.parametrize(
    ("address", "line"),
    [
        ("nowhere:Thing", "nowhere:Thing: there is no module nowhere here, nor installed"),
        ("slow_learners:Fast", "slow_learners has no Fast"),
        ("slow_learners:option", "is not a learner: a subclass of Learner with a name"),
        ("slow_learners", "write module:Class"),
        ("slow learners:Slow", "write module:Class"),
        ("slow_learners:Unfinished", "does not define target$"),
        ("slow_learners:Sizes", r"option sizes of Sizes must have a number, .* not \(3, 4\)$"),
    ],
)
@pytest.mark.usefixtures("module")
def test_bad_addresses_are_one_line(address, line):
    with pytest.raises(InputError, match=line) as found:
        registry.register_address(address)
    assert "\n" not in str(found.value)


@pytest.mark.usefixtures("module")
def test_a_broken_module_is_one_line(tmp_path):
    (tmp_path / "broken_learners.py").write_text("1 / 0\n")
    with pytest.raises(InputError, match="broken_learners:X: ZeroDivisionError: division by zero"):
        registry.register_address("broken_learners:X")
    (tmp_path / "leaving_learners.py").write_text("raise SystemExit(3)\n")
    with pytest.raises(InputError, match=r"X ended the program: sys\.exit\(3\)"):
        registry.register_address("leaving_learners:X")


def test_a_learner_without_a_docstring_says_so():
    class Silent(Learner):
        name = "silent"
        layout = begin = agent = None  # type: ignore[assignment]

    assert Silent.about() == "It has no docstring."


def test_what_an_option_cannot_read_is_one_line():
    class Reader(Learner):
        """Reads its option by a function that knows nothing of our errors."""

        name = "reader"
        layout = begin = agent = None  # type: ignore[assignment]
        size: str = option("3", "a number as text", written(int, 0, 5))

    with pytest.raises(InputError, match=r"^option size: invalid literal for int"):
        Reader(size="z")


@pytest.mark.parametrize(
    ("target", "line"),
    [
        (
            "@staticmethod\n    def target(values, chosen): return 0.0",
            "its target cannot be compiled",
        ),
        ("def target(self, values, chosen, epsilon): return 0.0", "must be a static method"),
    ],
)
@pytest.mark.usefixtures("module")
def test_a_target_that_cannot_be_compiled_is_said_when_a_run_is_made(tmp_path, target, line):
    source = OUTSIDE.replace('name = "unfinished"', f'name = "unfinished"\n    {target}')
    (tmp_path / "slow_learners.py").write_text(source)
    kind = registry.register_address("slow_learners:Unfinished")
    with pytest.raises(InputError, match=line) as found:
        kind().begin(game_of("tictactoe"), None, 1)
    assert "x1b" not in str(found.value)


def test_names_are_taken_once(module):
    class Impostor(learner_type("td")):  # type: ignore[misc]
        """Calls itself as another does."""

    with pytest.raises(InputError, match="is called 'td', as another learner is"):
        register(Impostor)
    registry.register_address(module)
    Impostor.name = "slow"
    with pytest.raises(InputError, match="is called 'slow', as slow_learners:Slow is"):
        register(Impostor)


def test_entry_points_of_installed_packages(module, tmp_path, monkeypatch, caplog):
    """Found by name, imported when asked for; one that does not work hides no other."""
    found = tmp_path / "slow-1.0.dist-info"
    found.mkdir()
    (found / "METADATA").write_text("Metadata-Version: 2.1\nName: slow\nVersion: 1.0\n")
    (found / "entry_points.txt").write_text(
        f"[inarow.learners]\nslow = {module}\nbroken = nowhere:Thing\ntd = {module}\n"
        f"so-so = {module}\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    plugins.installed.cache_clear()
    try:
        assert "slow_learners" not in sys.modules
        assert learner_type("slow").about() == "TD that takes its time."
        assert learner_type("td").__module__ == "inarow.learn.tabular.td"
        assert {"slow", "td"} <= learners().keys()
        assert "broken" not in learners()
        assert "nowhere:Thing: there is no module nowhere" in caplog.text
        with pytest.raises(InputError, match="nowhere:Thing: there is no module nowhere"):
            learner_type("broken")
        with pytest.raises(InputError, match=r"slow_learners:Slow is not .* called 'so-so'$"):
            learner_type("so-so")
    finally:
        plugins.installed.cache_clear()
        registry._load.cache_clear()


def test_a_learner_of_ones_own_in_a_call():
    class Wide(learner_type("td")):  # type: ignore[misc]
        """TD with an option more."""

        name = "wide"
        width: int = option(2, "of nothing", at_least(0))

    assert options_of_type(Wide)["width"].hint == "of nothing (0 or more)"
