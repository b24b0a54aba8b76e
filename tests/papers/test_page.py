"""Pages: what they are made of, as Markdown."""

from __future__ import annotations

from inarow.papers.page import (
    Code,
    Numbered,
    Page,
    Picture,
    Section,
    Table,
    bytes_text,
    list_text,
    markdown,
    ratio_text,
    seconds_text,
)


def test_markdown() -> None:
    table = Table(("name", "n"), (("a|b", "1"),), "not shown")
    parts = ("words", table, Picture("p.svg", "seen"), Code(("ls",)), Numbered(("x", "y")))
    text = markdown(Page("Title", ("intro",), (Section("One", parts),), "make pages"))
    assert text.split("\n\n") == [
        "<!-- Written by `make pages` from stored results: change those. -->",
        "# Title",
        "intro",
        "## One",
        "words",
        "| name | n |\n| :-- | --: |\n| a\\|b | 1 |",
        "![seen](p.svg)",
        "```sh\nls\n```",
        "1. x\n2. y\n",
    ]


def test_numbers_as_text() -> None:
    assert [seconds_text(s) for s in (0.0321, 12.34, 1140)] == ["0.032 s", "12.3 s", "19 min"]
    assert [bytes_text(b) for b in (17_380, 1.5e6, 1.1e9)] == ["17 kB", "1.5 MB", "1.1 GB"]
    assert [ratio_text(r) for r in (3.92, 86.7, 3_567.0)] == ["3.9x", "87x", "3,600x"]
    assert [list_text(w) for w in (["a"], ["a", "b"], ["a", "b", "c"])] == [
        "a",
        "a and b",
        "a, b and c",
    ]
