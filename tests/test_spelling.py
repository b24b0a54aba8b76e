"""Everything that users read is spelled right: by a list of English words, and docs/words.txt.

Code, addresses and names in the source are left out; so are words with capitals inside.
"""

from __future__ import annotations

import re
from collections import defaultdict

import pytest
from spellchecker import SpellChecker

from tests.pages import DOCS
from tests.user_texts import all_texts, references, sentences

WORD = re.compile(r"(?<![\w.:/_^-])[A-Za-z]+(?:['\u2019][a-z]+)?(?![\w:/_^=]|\.\w)")
WORDS = DOCS / "words.txt"


def own_words() -> list[str]:
    """Terms and names that a general list does not have."""
    lines = WORDS.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def words_of(text: str) -> set[str]:
    """The words to look at, in lower case, without a genitive."""
    found = (match.group().replace("\u2019", "'") for match in WORD.finditer(text))
    plain = (word for word in found if word[1:] == word[1:].lower() and len(word) > 2)
    return {word.lower().removesuffix("'s").removesuffix("'") for word in plain}


def test_every_word_is_known():
    checker = SpellChecker(language="en")
    checker.word_frequency.load_words(own_words())
    places = defaultdict(set)
    for place, text in all_texts():
        for word in words_of(text):
            places[word].add(place)
    unknown = {word: sorted(places[word])[:2] for word in sorted(checker.unknown(places))}
    assert not unknown, f"misspelled, or missing in docs/words.txt: {unknown}"


def test_a_misspelled_word_is_found():
    checker = SpellChecker(language="en")
    assert checker.unknown(words_of("The positon of `conect4` is drawn.")) == {"positon"}


@pytest.mark.parametrize(
    "source",
    [
        'raise InputError(f"{name} has no positon")',
        'raise InputError("a", reason="no positon here")',
        'raise ValueError("its positon is another")',
        'raise errors.TooManyError("a positon too many")',
        'WHY = "a positon without a comma"',
        'ui.label("Show the positon")',
        'def f():\n    """A positn."""\n    return "a positon", "text-h5 q-mt-md", "SELECT positn"',
    ],
)
def test_a_misspelled_word_in_the_source_is_found(source):
    found = {word for text in sentences(source) for word in words_of(text)}
    assert SpellChecker(language="en").unknown(found) == {"positon"}


def test_own_words_are_in_order_and_needed():
    words = own_words()
    assert words == sorted(set(words))
    assert not SpellChecker(language="en").known(words)


def test_the_reference_is_read():
    places = {place for place, _ in references()}
    assert {
        "inarow.lab.studies.study.grid: inarow.lab.studies.study.grid",
        "inarow.game.spec.Game: cells",
    } <= places
