"""The command `players`: everybody who can be named, and the options in their names."""

from __future__ import annotations

from inarow.ui.terminal import AsJson, console, print_json, table


def players(as_json: AsJson = False) -> None:
    """Lists the players, with the options in their names."""
    from inarow.lab.outside_players import outside_players
    from inarow.lab.players import LEARNED_PLAYERS, RULE_PLAYERS, SCANS, SEARCH_PLAYERS
    from inarow.search.minimax import ORDERS
    from inarow.search.perfect import CHOICES

    rules = {name: entry.about for name, entry in RULE_PLAYERS.items()}
    own = {
        "FILE.safetensors": "an agent that `inarow train` has saved",
        "module:Class": "a class or function of your own, in the current folder or installed",
        "cmd:PROGRAM": "a program in any language, as docs/players.md says",
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
