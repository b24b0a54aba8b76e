"""Players by name: the one table that every part of the project looks in.

Anything else with a method `move(position)` is a player too: see `lab.players.protocols`.
"""

from __future__ import annotations

import re
from pathlib import Path
from types import FunctionType
from typing import NamedTuple

from inarow.engine.board import Tables
from inarow.engine.players import BoundPlayer as BoundPlayer
from inarow.engine.players import CompiledPlayer as CompiledPlayer
from inarow.engine.players import (
    MovesFromCompiled,
    PlayerArrays,
    compiled_form,
    has_compiled_form,
    is_unchanged,
)
from inarow.engine.rules import Rule, RuleList, Scan
from inarow.game import Game, InputError
from inarow.game.errors import suggestion
from inarow.game.plugins import check_not_python
from inarow.lab.players.outside import (
    BEST_RESPONSE,
    FunctionPlayer,
    allowed_player,
    installed_player,
    outside_players,
    runs_code,
)
from inarow.lab.players.protocols import AnyPlayer as AnyPlayer
from inarow.lab.players.protocols import NamedPlayer, Player, name_of
from inarow.lab.players.protocols import ask as ask
from inarow.lab.players.protocols import bind_player as bind_player
from inarow.learn.agent import LearnedAgent
from inarow.learn.saved import SUFFIX


class Entry(NamedTuple):
    """A rule player and what to say of it."""

    rules: RuleList
    about: str
    trainer: bool = False  # to learn from: it is not among those that agents are tested against


WIN, BLOCK, SAFE, GREEDY = Rule.WIN, Rule.BLOCK, Rule.SAFE, Rule.GREEDY
ATTACK, DEFENSE, ATTACK_DEFENSE, DEFENSE_ATTACK = (WIN,), (BLOCK,), (WIN, BLOCK), (BLOCK, WIN)

RULE_PLAYERS = {
    "random": Entry(RuleList(((),)), "any move"),
    "attack": Entry(RuleList((ATTACK,), Scan.LINES), "wins if it can (hybrid paper)"),
    "defense": Entry(RuleList((DEFENSE,), Scan.LINES), "blocks if it must (hybrid)"),
    "attack-defense": Entry(RuleList((ATTACK_DEFENSE,), Scan.LINES), "wins, else blocks (hybrid)"),
    "defense-attack": Entry(RuleList((DEFENSE_ATTACK,), Scan.LINES), "blocks, else wins (hybrid)"),
    "combined": Entry(
        RuleList((ATTACK, DEFENSE, ATTACK_DEFENSE, DEFENSE_ATTACK), Scan.LINES),
        "one of the four above, drawn for each game (hybrid)",
    ),
    "hybrid": Entry(
        RuleList(6 * (ATTACK_DEFENSE,) + ((),), Scan.LINES),
        "attack-defense, but one game in seven at random (hybrid)",
        trainer=True,
    ),
    "benchmark": Entry(
        RuleList(((WIN, BLOCK, SAFE),)), "wins, blocks, gives no win away on top (cube paper)"
    ),
    "advanced": Entry(RuleList(((WIN, BLOCK),)), "scores, else blocks (n-dimensional paper)"),
    "greedy-lines": Entry(
        RuleList(((GREEDY,),)), "completes most lines, then takes the cell on most lines"
    ),
}


def rule_players_for(game: Game) -> dict[str, Entry]:
    """Return the rule players whose rules mean something in a game: where a line loses, few do."""
    return {
        name: entry
        for name, entry in RULE_PLAYERS.items()
        if entry.rules.has_meaning(game.misere) and not entry.trainer
    }


SEARCH_PLAYERS = {
    "minimax:DEPTH": "alpha-beta with the line heuristic (Connect Four paper)",
    "mcts:SIMULATIONS": "Monte Carlo tree search (UCT) by random games",
    "AGENT+mcts:SIMULATIONS": "the same search with a learned agent's values at its leaves",
    "perfect": "never gives anything away, where the solver reaches; second in qubic: best known",
    "strength:N": "one of eight strengths, 1 to 8, that look ahead and misjudge as people do",
    "level:N": "one of ten strengths, 1 to 10: perfect or minimax, and random moves",
    "PLAYER+endgame:STONES": "another player, then exact play from so many stones on",
    "PLAYER+strategy": "the stored strategy and threats where they win, else another player",
    "best-response:PLAYER": "does as well as anybody can against that player, in small games",
}

LEARNED_PLAYERS = {
    "best": "the strongest of its game: perfect, a shipped agent or minimax",
    "shipped:GAME": "the agent that comes with the package for a game: `inarow agents list`",
    "ntuple[:DEPTH]": "learned connect4:6x7 by playing, and wins every game it begins",
}

SHIPPED, WITH_STRATEGY = "shipped:", "+strategy"  # how such names begin and end

SCANS = {
    "random": "any of several equal cells",
    "game": "by an order drawn for each game",
    "lines": "by the first line: rows, columns, diagonals",
    "cells": "the lowest cell or column",
}


class RulePlayerByName(MovesFromCompiled):
    """A rule player, for compiled loops and for Python alike."""

    def __init__(self, name: str, rules: RuleList) -> None:
        self.name, self.rules = name, rules

    def compiled(self, tables: Tables) -> PlayerArrays:
        """Return the player as arrays."""
        return compiled_form(self.rules, tables)

    def __repr__(self) -> str:
        return f"<player {self.name}>"


def player(name: NamedPlayer) -> AnyPlayer:
    """Return the player with this name (`attack`, `minimax:6`, `attack@random`), or an object.

    The part after the @ says how ties are broken. A path names a saved
    agent. Names that run code (`lab.players.outside`) are found only if they have been allowed.
    """
    if isinstance(name, Path):
        return _saved_agent(str(name))
    if not isinstance(name, str):
        return _checked(name)
    if runs_code(name.strip()):
        return _checked(allowed_player(name.strip()))
    if name.strip().startswith(BEST_RESPONSE):
        return _best_response(name.strip().removeprefix(BEST_RESPONSE))
    if name.strip().endswith(WITH_STRATEGY):
        return _with_strategy(name.strip().removesuffix(WITH_STRATEGY))
    before = re.fullmatch(r"(.+)\+endgame:([0-9]{1,4})", name.strip())
    if before is not None:
        return _endgame(before[1], int(before[2]))
    agent, plus, search = name.strip().rpartition("+mcts:")
    if plus:
        return agent_mcts(player(agent), f"mcts:{search}")
    head, at, order = name.strip().partition("@")
    if head in RULE_PLAYERS:
        return _rule_player(name.strip(), head, order if at else None)
    if head == "perfect":
        return _perfect(order if at else "best")
    if re.fullmatch(r"best|level:[0-9]{1,4}", head) and not at:
        return _level(head)
    if re.fullmatch(r"strength:[0-9]{1,4}", head) and not at:
        return _strength(head)
    if head.startswith(SHIPPED):
        return _shipped(name.strip().removeprefix(SHIPPED))
    if head.startswith("minimax"):
        return _minimax(name.strip())
    if head.startswith("mcts"):
        return _mcts(name.strip())
    if head.partition(":")[0] == "ntuple" and not name.strip().endswith(SUFFIX):
        return _shipped_ntuple(name.strip())
    if name.strip().endswith(SUFFIX):
        return _saved_agent(name.strip())
    if (installed := installed_player(name.strip())) is not None:
        return _checked(installed)
    check_not_python(name.strip(), "player")
    known = [*RULE_PLAYERS, *SEARCH_PLAYERS, *LEARNED_PLAYERS, *outside_players()]
    near = suggestion(head, [form.partition("[")[0] for form in known])
    raise InputError(
        f"unknown player {name!r}{near}: the players are "
        f"{', '.join(known)}, and files of saved agents (FILE{SUFFIX})"
    )


def _rule_player(name: str, head: str, scan: str | None) -> RulePlayerByName:
    rules = RULE_PLAYERS[head].rules
    if scan is not None:
        if scan not in SCANS:
            raise InputError(
                f"unknown order '@{scan}' in {name!r}: it is one of {', '.join(SCANS)}"
            )
        rules = RuleList(rules.variants, Scan[scan.upper()])
    return RulePlayerByName(name, rules)


# The searches are imported when one is asked for: rule players start without them.
def _perfect(choice: str) -> Player:
    from inarow.search.perfect import Perfect

    return Perfect(choice, strongest_known)


def strongest_known(game: Game) -> CompiledPlayer:
    """Return the strongest player known of a game with a stored strategy: its shipped agent."""
    found = _shipped(game.name)
    assert has_compiled_form(found)
    return found


def _level(name: str) -> Player:
    from inarow.lab.players.shipped import LEVELS, Level

    level = Level(LEVELS[-1] if name == "best" else int(name.partition(":")[2]))
    level.name = name
    return level


def _strength(name: str) -> Player:
    from inarow.search.strengths import PlayerOfStrength

    return PlayerOfStrength(int(name.partition(":")[2]))


def _minimax(name: str) -> AnyPlayer:
    from inarow.search.minimax import ORDERS, Minimax, TimedMinimax

    match = re.fullmatch(r"minimax:([0-9]{1,4})(?:@(\w+))?(?:/([0-9.]{1,9})s)?", name)
    if match is None or match[3] == "." or (match[3] or "").count(".") > 1:
        raise InputError(
            f"{name!r} is not a player: write minimax:DEPTH[@ORDER][/SECONDSs], as in minimax:6, "
            f"with an order of {', '.join(ORDERS)}"
        )
    depth, order = int(match[1]), match[2] or "ascending"
    return (
        Minimax(depth, order) if match[3] is None else TimedMinimax(depth, float(match[3]), order)
    )


def _mcts(name: str) -> AnyPlayer:
    from inarow.search.mcts import mcts_named

    return mcts_named(name)


def agent_mcts(agent: AnyPlayer, search: str) -> AnyPlayer:
    """Return a tree search with an agent's values; what else the agent plays with is left out."""
    from inarow.search.decided import WithStrategy
    from inarow.search.endgame import Endgame, LateSolver
    from inarow.search.mcts import Mcts, mcts_named

    valued: object = agent
    while (
        is_unchanged(valued, Endgame)
        or is_unchanged(valued, LateSolver)
        or is_unchanged(valued, WithStrategy)
    ):
        valued = valued.player
    if is_unchanged(valued, Mcts):
        valued = valued.agent
    if not isinstance(valued, LearnedAgent) or not has_compiled_form(valued):
        raise InputError(
            f"{name_of(agent)} cannot be followed by +mcts: it must be a learned agent"
        )
    found = mcts_named(search, valued)
    found.name = f"{name_of(agent)}+{search}"
    return found


def _endgame(name: str, stones: int) -> AnyPlayer:
    from inarow.search.endgame import Endgame, LateSolver
    from inarow.search.solver import is_planar

    found = player(name)
    if not has_compiled_form(found) or isinstance(found, Endgame | LateSolver):
        raise InputError(f"{name} cannot be followed by +endgame: it must be a compiled player")
    known = getattr(found, "game", None)
    return (
        Endgame(found, stones) if known is None or is_planar(known) else LateSolver(found, stones)
    )


def _best_response(name: str) -> AnyPlayer:
    from inarow.lab.certificates.best_response import BestResponse

    return BestResponse(player(name))


def _saved_agent(path: str) -> LearnedAgent:
    agent = LearnedAgent.load(path)
    agent.name = path
    return agent


def _shipped(game: str) -> AnyPlayer:
    from inarow.lab.players.shipped import shipped_player

    return shipped_player(game)


def _shipped_ntuple(name: str) -> CompiledPlayer:
    from inarow.lab.players.shipped import ntuple_named

    return ntuple_named(name)


def _with_strategy(name: str) -> AnyPlayer:
    from inarow.search.decided import WithStrategy

    found = player(name)
    if not has_compiled_form(found):
        raise InputError(f"{name} cannot be followed by +strategy: it must be a compiled player")
    return WithStrategy(found)


def _checked(found: object) -> AnyPlayer:
    if isinstance(found, Player) or has_compiled_form(found):
        return found
    if isinstance(found, FunctionType):
        return FunctionPlayer(found)
    if isinstance(getattr(found, "agent", None), Player):
        raise InputError("a training run is not a player: its player is run.agent")
    raise InputError(f"{found!r} is not a player: it needs a method move(position)")


def rules_of(name: str) -> RuleList:
    """Return the rules of a rule player."""
    rules = rule_list(player(name))
    if rules is None:
        raise InputError(f"{name} is not a rule player: those are {', '.join(RULE_PLAYERS)}")
    return rules


def rule_list(some_player: object) -> RuleList | None:
    """The rules that say all of how a player moves; None for a player that they do not.

    Rules of a class of one's own may have another compiled form than their list says.
    """
    if is_unchanged(some_player, RulePlayerByName) and is_unchanged(some_player.rules, RuleList):
        return some_player.rules
    return None
