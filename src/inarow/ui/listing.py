"""The commands `players` and `learners`: all that can be named, with their options."""

from __future__ import annotations

from typing import Annotated

import typer

from inarow.ui.terminal import AsJson, console, print_json, table
from inarow.ui.training import lesson_settings, named


def players(as_json: AsJson = False) -> None:
    """Lists the players, with the options in their names."""
    from inarow.lab.players.names import LEARNED_PLAYERS, RULE_PLAYERS, SCANS, SEARCH_PLAYERS
    from inarow.lab.players.outside import outside_players
    from inarow.search.minimax import ORDERS
    from inarow.search.perfect import CHOICES

    rules = {name: entry.about for name, entry in RULE_PLAYERS.items()}
    own = {
        "FILE.safetensors": "an agent that `inarow train` has saved",
        "module:Class": "a class or function of your own, in the current folder or installed",
        "cmd:PROGRAM": "a program in any language, as docs/how-to/players.md says",
        **outside_players(),
    }
    names = {"rules": rules, "searching": SEARCH_PLAYERS, "learned": LEARNED_PLAYERS, "own": own}
    options = {
        "attack@ORDER": {f"@{name}": about for name, about in SCANS.items()},
        "perfect@CHOICE": {f"@{name}": about for name, about in CHOICES.items()},
        "minimax:DEPTH@ORDER": {
            f"@{name}": about for name, about in zip(ORDERS, ORDER_TEXTS, strict=True)
        },
        "minimax:DEPTH/SECONDSs": {"/0.5s": "deepens for half a second, and at most to DEPTH"},
    }
    if as_json:
        print_json({**names, "options": options})
        return
    out = console()
    rows = table("player", "what it does")
    rows.columns[1].justify = "left"
    for kind in names.values():
        for name, about in kind.items():
            rows.add_row(name, about)
        rows.add_section()
    out.print(rows)
    more = table("option", "", "which of several moves, or how long")
    more.columns[1].justify = more.columns[2].justify = "left"
    for form, given in options.items():
        for place, (name, about) in enumerate(given.items()):
            more.add_row("" if place else form, name, about)
        more.add_section()
    out.print(more)
    out.print(" For example: attack@lines, minimax:6@central, minimax:20/0.5s, ntuple:6, level:3.")


ORDER_TEXTS = (
    "the lowest of equal moves, as in the paper",
    "the highest",
    "the one that most lines cross",
)


def learners(
    name: Annotated[
        str | None, typer.Argument(metavar="LEARNER", help="one of them, with its options")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Lists the learners, or one with its options."""
    from inarow.learn.options import options_of_type
    from inarow.learn.registry import learner_type
    from inarow.learn.registry import learners as all_learners

    if name is None:
        found = all_learners()
        if as_json:
            print_json({key: kind.about() for key, kind in found.items()})
            return
        rows = table("learner", "what it is")
        for key, kind in found.items():
            rows.add_row(key, kind.about())
        rows.columns[1].justify = "left"
        console().print(rows)
        return
    kind = learner_type(named(name))
    options = options_of_type(kind)
    if as_json:
        print_json({key: option.as_json() for key, option in options.items()})
        return
    rows = table("option", "default", "what it is", title=f"{kind.name}: {kind.about()}")
    for key, option in options.items():
        rows.add_row(key, str(option.default), option.hint)
    rows.columns[2].justify = "left"
    shown = console()
    shown.print(rows)
    shown.print(f" It plays against {' or '.join(kind.opponents)}.", soft_wrap=True)
    for game, given in kind.suits.items():
        settings = "".join(f" --set {key}={value}" for key, value in given.items())
        shown.print(f" It suits {game}{settings}.", soft_wrap=True)
    for game in kind.lessons:
        shown.print(f" For a first lesson on {game}: {lesson_settings(kind, game)}")
