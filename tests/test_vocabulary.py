"""Users read the field's words: the private ones that the project once had do not come back.

Each entry is what is not to be written, as a pattern, and what to write in its place. Where a
private word is an English word with other uses, the pattern is the private use of it. Some were
names in the source alone: these are looked for there, the options of learners among them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from inarow.learn.learner import options_of
from inarow.learn.registry import learner, learners
from tests.pages import ROOT
from tests.user_texts import all_texts

PAPERS = r"(?:papers?|texts?|authors?|documents?|pseudocodes?)"
NUMBERS = r"(?:numbers?|values?|figures?|results?|means?|tests?|claims?)"
WORDS = {
    r"games? of lines|line games?": "k-in-a-row game",
    r"cells? of (?:a|the) (?:study|grid|sweep)|(?:study|grid)'?s? cells?|(?:runs|trials) a cell":
        "config, condition",
    r"examin(?:e|es|ed|ing|ation|ations|er)": "evaluate, evaluation",
    r"(?:look|looks) of (?:the|a|all|its) (?:\w+ )?(?:plots?|pages?|figures?|boards?)|"
    r"(?:plot|page|figure|board)(?:s'|'s) looks?|new look": "plot_style, theme",
    r"slips?": "erratum",
    rf"stated {NUMBERS}|{NUMBERS} (?:as |are |is )?stated|{PAPERS} states|stated (?:by|in) the":
        "published",
    rf"{PAPERS}'s? (?:own )?words|in (?:its|their|the authors') own words": "text",
    r"can be read in (?:other|two|many|several) ways": "has variants",
    r"yardsticks?": "baseline",
    r"(?:project's|own|its|our|this) bars?|bars? (?:is|are|was|were) (?:met|missed|set)|"
    r"close to its bar|(?:above|below|under|meets?|met|miss|misses|raises?) the bar": "target",
    r"opinions?|thinks|worth": "evaluation, estimates, value",
    r"of thought|thought about|thoughts": "computation, evaluation",
    r"dice|leaves nothing to chance": "stochastic, deterministic, random choices",
    r"(?:un)?see (?:a )?stones?|unsees?|unseen stones?": "add stone, remove stone",
    r"(?:an?|the|its|network's) eyes?": "accumulator",
    r"(?:moves?|values?|evaluations?) in sight": "shown",
    r"draws\.py": "policies.py",
    r"(?:free|bits) solver": "general solver, bitboard",
    r"replies_making": "build_replies",
    r"good_opponent|go_on|first_weights": "default_opponent, continue_training, init_weights",
    r"desks?": "request queue",
    r"reach of (?:the |its |first )?weights?": "init_scale",
    r"settled (?:weights?|numbers?|values?|floats?)": "flush_denormals",
    r"ways? of training|training ways?": "regime",
    r"twins?": "reference",
    r"seats?|seated": "side",
    r"(?:decay|length|size) of (?:the|a) traces?|trace (?:is|of) (?:0|1|0?\.\d+)": "trace_decay",
    r"does not work: from": "must be between",
    r"(?<!there )is no saved agent": "is not a saved agent",
    r"has played [\d,]+ games already|--games says more": "already trained for N games",
    r"Let players meet|lets? players meet|players meet": "play matches",
    r"The side to move (?:wins|loses) \(score": "X wins in N, X loses in N",
    r"neither graph nor solver": "this position is too large to solve in a few seconds",
    r"another person, here|sits? two people|sides two people": "two players, this screen",
    r"Games a pair": "Games per pair",
    r"Examined by": "Tested against",
    r"lie where the mean of another": "fall inside our 95% prediction interval",
}  # fmt: skip
# Names that no source has: whole, or a word of one
NAMES = {
    r"Eye|Sight|Thoughts|unsee(?:_\w+)?|see_stone": "accumulator, activations, add/remove stone",
    r"Walk": "TransitionTable, SearchStack, Traversal",
    r"Desk|thinking": "RequestQueue, executors",
    r"good_opponent|go_on|first_weights": "default_opponent, continue_training, init_weights",
    r"replies_making": "build_replies",
    r"(?:\w+_)?(?:slips?|yardsticks?|opinions?|dice|twins?|seats?|worth)(?:_\w+)?":
        "erratum, baseline, evaluation, stochastic, reference, side, value",
    r"(?:\w+_)?examin(?:e|es|ed|er|ation|ations)(?:_\w+)?": "evaluate",
}  # fmt: skip
MODULES = {
    "lab/draws", "graph/draws", "search/free", "search/bits", "ui/turns", "ui/server/turns",
    "ui/server/thinking", "ui/server/desk", "ui/server/visitors", "lab/look", "ui/look",
    "ui/server/look",
}  # fmt: skip
# Options of learners that had one name for two things
OPTIONS = {
    "trace": "trace_decay", "lambda": "trace_decay", "loss": "loss_reward, loss_function",
    "start": "initial_value, init_scale", "reach": "init_scale", "seat": "side", "way": "regime",
    "settled": "flush_denormals",
}  # fmt: skip
FILTER = "tactical filter"


def private_words(text: str) -> list[str]:
    """The private words in a text, each with the field's."""
    plain = re.sub("“[^”]*”", "", " ".join(text.split()))  # what others wrote is quoted as it is
    return [
        f"{found.group()!r}: write {better}"
        for pattern, better in WORDS.items()
        for found in re.finditer(rf"\b(?:{pattern})(?![A-Za-z])", plain)
    ]


def test_users_read_the_words_of_the_field():
    found = [f"{place}: {words}" for place, text in all_texts() for words in private_words(text)]
    assert not found, "\n".join(found)


def source_names(source: str) -> Iterator[str]:
    """All that is named in it: classes, functions, arguments, variables, attributes."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.id if isinstance(node, ast.Name) else node.attr


def private_names(source: str) -> set[str]:
    """Those of a source."""
    pattern = re.compile("|".join(NAMES))
    return {name for name in source_names(source) if pattern.fullmatch(name)}


def sources() -> Iterator[Path]:
    """All Python that users may read."""
    for folder in ("src", "benchmarks", "docs", "examples"):
        yield from (ROOT / folder).rglob("*.py")


def test_names_in_the_source_are_the_fields():
    found = {str(path): private_names(path.read_text(encoding="utf-8")) for path in sources()}
    assert {path: names for path, names in found.items() if names} == {}
    package = ROOT / "src" / "inarow"
    modules = {str(path.relative_to(package).with_suffix("")) for path in package.rglob("*.py")}
    assert not modules & MODULES
    assert private_names("class Eye: ...\ndef run(a_seat): self.slips = worth_of = 1") == {
        "Eye", "a_seat", "slips", "worth_of",
    }  # fmt: skip
    assert private_names("def reading(walk): ...\nseated = eyes = 1") == set()


def test_options_of_learners_say_which_thing_they_mean():
    for name in learners():
        assert not options_of(learner(name)).keys() & OPTIONS.keys(), name


def unexplained_shields(texts: list[tuple[str, str]]) -> list[str]:
    """Places that speak of a shield and do not say that it is a tactical filter."""
    return [p for p, t in texts if re.search(r"\bshield", t) and FILTER not in " ".join(t.split())]


def test_a_shield_is_explained_where_it_is_named():
    assert unexplained_shields([(p, t) for p, t in all_texts() if p.startswith("docs/")]) == []
    assert unexplained_shields([("x", "no shield"), ("y", "a tactical\nfilter: shield")]) == ["x"]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("thirty trials a cell, in the paper's own words", 2),
        ("the hybrid paper's word for it; each cell of the board", 0),
        ("the published numbers, and the stated numbers", 1),
        ("above the bar of 80: its bar", 2),
        ("the progress bar; the bar with its links", 0),
        ("two ways of training; proved in this way", 1),
        ("the look of the pages; it looks at all pages", 1),
        ("429 where too many are being thought about", 1),
        ("A laboratory for games of\nlines.", 1),
        ("the agent was examined by its opinion", 2),
        ("k-in-a-row games; a player of dicey repute", 0),
        ("it is beaten, whatever its dice say", 1),
    ],
)
def test_private_words_are_found(text, number):
    assert len(private_words(text)) == number
