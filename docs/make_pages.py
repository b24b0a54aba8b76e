"""Writes the pages of the papers from the results stored beside this file: `make pages`."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from inarow.papers import (
    connect_four_agent,
    connect_four_page,
    connect_four_report,
    connect_four_tdl_report,
    cube_figures,
    cube_page,
    hybrid_figures,
    hybrid_page,
    max_min_deep_figures,
    max_min_figures,
    max_min_page,
    n_dimensional_figures,
    n_dimensional_page,
    n_dimensional_policy_figures,
)
from inarow.papers.page import Page, markdown
from inarow.papers.results import Results, load

FOLDER = Path(__file__).parent
RESULTS, PAPERS = FOLDER / "results", FOLDER / "papers"


class Source(NamedTuple):
    """What a page is made from."""

    results: str  # the file without which there is no page
    page: Callable[..., Page]  # takes these results, then the others
    figures: Callable[[Results, Path], list[Path]]
    others: tuple[str, ...] = ()  # files that add to it, where they are stored


PAGES = {
    "connect-four": Source(
        "connect-four-minimax.json",
        connect_four_page.page,
        connect_four_report.figures,
        tuple(
            f"connect-four-tdl{part}.json"
            for part in ("", "-sweep", "-ten-seeds", "-trainers", "-seeds")
        ),
    ),
    "cube": Source(
        "cube-all.json",
        cube_page.page,
        cube_figures.figures,
        ("cube-readings.json", "cube-best.json"),
    ),
    "hybrid": Source(
        "hybrid-all.json", hybrid_page.page, hybrid_figures.figures, ("hybrid-readings.json",)
    ),
    "max-min": Source(
        "max-min-tabular.json",
        max_min_page.page,
        max_min_figures.figures,
        ("max-min-deep.json",),
    ),
    "n-dimensional": Source(
        "n-dimensional-sarsa.json",
        n_dimensional_page.page,
        n_dimensional_figures.figures,
        ("n-dimensional-policy-gradient.json",),
    ),
}


AGENT = "connect-four-tdl-agent.json"
# Of results that add to a page, where they have figures.
OTHER_FIGURES: dict[str, Callable[[Results, Path], list[Path]]] = {
    "connect-four-tdl.json": connect_four_tdl_report.figures,
    "max-min-deep.json": max_min_deep_figures.figures,
    "n-dimensional-policy-gradient.json": n_dimensional_policy_figures.figures,
}


def stored(results: Path = RESULTS) -> dict[str, tuple[Source, Results, list[Results | None]]]:
    """The pages whose results are there, with these."""
    found = {}
    for name, source in PAGES.items():
        if (results / source.results).is_file():
            others = [load(results / o) if (results / o).is_file() else None for o in source.others]
            found[name] = (source, load(results / source.results), others)
    return found


def pages(results: Path = RESULTS) -> dict[Path, str]:
    """The text of every page, by its file."""
    found = {
        PAPERS / f"{name}.md": markdown(source.page(main_results, *others))
        for name, (source, main_results, others) in stored(results).items()
    }
    if (results / AGENT).is_file():
        card = connect_four_agent.card(load(results / AGENT))
        found[FOLDER / "agents" / "ntuple-6x7.md"] = markdown(card)
    return found


def main() -> None:
    """Writes pages and figures."""
    for path, text in pages().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for source, results, others in stored().values():
        source.figures(results, PAPERS / "figures")
        for other in others:
            if other is not None and other.name in OTHER_FIGURES:
                OTHER_FIGURES[other.name](other, PAPERS / "figures")


if __name__ == "__main__":
    main()
