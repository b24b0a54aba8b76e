"""Users read the field's words: the private ones that the project once had do not come back.

Each entry is what is not to be written, as a pattern, and what to write in its place. Where a
private word is an English word with other uses, the pattern is the private use of it.
"""

from __future__ import annotations

import re

import pytest

from tests.user_texts import all_texts

WORDS = {
    r"games? of lines|line games?": "k-in-a-row game",
    r"cells? of (?:a|the) study|study's cells?": "config, condition",
    r"examin(?:e|es|ed|ing|ation|ations|er)": "evaluate, evaluation",
    r"look of (?:the|a) (?:plots?|pages?|figures?)": "plot_style, theme",
    r"another reading of the paper|readings of the paper|slips? of the paper": "variant, erratum",
    r"yardsticks?": "baseline",
    r"(?:project's|own|its) bars?|bars? (?:is|are) met|close to its bar": "target",
    r"opinions?|thinks|worth": "evaluation, estimates, value",
    r"dice|leaves nothing to chance": "stochastic, deterministic, random choices",
    r"(?:un)?see (?:a )?stones?": "add stone, remove stone",
    r"replies_making": "build_replies",
    r"good_opponent|go_on|first_weights": "default_opponent, continue_training, init_weights",
    r"twins?": "reference",
    r"seats?|seated": "side",
    r"does not work: from": "must be between",
    r"(?<!there )is no saved agent": "is not a saved agent",
    r"Let players meet|lets? players meet|players meet": "play matches",
    r"The side to move (?:wins|loses) \(score": "X wins in N, X loses in N",
    r"neither graph nor solver": "this position is too large to solve in a few seconds",
    r"another person, here|sits? two people|sides two people": "two players, this screen",
    r"Games a pair": "Games per pair",
    r"Examined by": "Tested against",
    r"lie where the mean of another": "fall inside our 95% prediction interval",
}


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


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("A laboratory for games of\nlines.", 1),
        ("the agent was examined by its opinion", 2),
        ("k-in-a-row games; a player of dicey repute", 0),
        ("it is beaten, whatever its dice say", 1),
    ],
)
def test_private_words_are_found(text, number):
    assert len(private_words(text)) == number
