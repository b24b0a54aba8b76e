"""Writes the pages of the papers from the results stored beside this file: `make pages`."""

from collections.abc import Callable
from pathlib import Path

from inarow.papers import connect_four_page, connect_four_report
from inarow.papers.page import Page, markdown
from inarow.papers.results import Results, load

FOLDER = Path(__file__).parent
RESULTS, PAPERS = FOLDER / "results", FOLDER / "papers"

# Page: the results that it is made from, its words, and its figures.
PAGES: dict[str, tuple[str, Callable[[Results], Page], Callable[[Results, Path], list[Path]]]] = {
    "connect-four": (
        "connect-four-minimax.json",
        connect_four_page.page,
        connect_four_report.figures,
    ),
}


def pages() -> dict[Path, str]:
    """The text of every page, by its file."""
    return {
        PAPERS / f"{name}.md": markdown(make(load(RESULTS / stored)))
        for name, (stored, make, _) in PAGES.items()
    }


def main() -> None:
    """Writes pages and figures."""
    for path, text in pages().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for stored, _, draw in PAGES.values():
        draw(load(RESULTS / stored), PAPERS / "figures")


if __name__ == "__main__":
    main()
