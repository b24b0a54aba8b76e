"""Examinations of an agent while it learns or when it is done: named, with seeds of their own.

Each takes an agent and says some figures by name. Sampled ones draw from evaluation streams that
no training uses; exact ones are sweeps over the game's graph.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from inarow.engine.streams import EVALUATION, FIRST, SECOND, make_stream
from inarow.engine.tables import tables_of
from inarow.game import InputError
from inarow.graph.anyone import walk_against_anyone
from inarow.graph.certificate import certify_seat
from inarow.graph.draws import sample_games
from inarow.graph.graph import Graph, graph_of
from inarow.graph.odds import Policy, odds
from inarow.graph.policies import expert_policy, rule_policies
from inarow.lab.certify import policies_of
from inarow.lab.match import Tally, match
from inarow.lab.players import RulePlayerByName, player
from inarow.learn.tabular.agent import TabularAgent

Figures = dict[str, float]
SEATS = ("first", "second")


def examine(agent: Any, examination: str, seed: int) -> Figures:
    """The figures of an examination, as `games:random:1000000:second`, `expert:second`, `exact`.

    - `games:PLAYER:NUMBER[:SEAT]`: games against a player, in one seat or in both in turn
    - `seats:PLAYER:NUMBER`: so many games in each seat, told apart
    - `expert[:SEAT]`: one game for each opening move against the papers' deterministic expert
    - `exact[:PLAYER]`: chances of the agent against a rule player (random), without sampling
    - `certificate`: whether it can be beaten, and whether it converts every won position
    - `perfect[:NUMBER[:SEAT]]`: games against perfect play, and mistakes by number of stones
    - `anyone[:SEAT[:STONES]]`: every game against every opponent, enumerated: how many end how
    """
    check_examination(examination)
    name, *arguments = examination.split(":")
    try:
        return EXAMINATIONS[name](agent, seed, *arguments)
    except TypeError:
        raise InputError(f"examination {examination!r} has too few or too many parts") from None


def check_examination(examination: Any) -> None:
    """Refuses what no examination is called."""
    if not isinstance(examination, str) or examination.partition(":")[0] not in EXAMINATIONS:
        raise InputError(f"unknown examination {examination!r}: there is {', '.join(EXAMINATIONS)}")


def _games(agent: Any, seed: int, *parts: str) -> Figures:
    """Sampled games against a player: the paper's test."""
    # Names of players may have colons too.
    said = re.fullmatch(r"(.+):([1-9][0-9]*)(?::(first|second|both))?", ":".join(parts))
    if said is None:
        raise InputError(f"'games:{':'.join(parts)}' is not games:PLAYER:NUMBER[:SEAT]")
    against, number, seat = said[1], int(said[2]), said[3] or "both"
    opponent = player(against)
    if isinstance(agent, TabularAgent) and isinstance(opponent, RulePlayerByName):
        tally = _on_graph(agent, opponent, number, seat, seed)
    else:
        tally = _on_boards(agent, opponent, number, seat, seed)
    counts = {"won": tally.wins, "drawn": tally.draws, "lost": tally.losses}
    if agent.game.scoring and tally.plies:  # played on boards
        counts["lines ahead"] = tally.lines_for - tally.lines_against
    return {f"{end} against {against}": float(count) for end, count in counts.items()}


def _seats(agent: Any, seed: int, *parts: str) -> Figures:
    """The same for each seat, told apart."""
    figures = {}
    for seat in SEATS:
        for name, value in _games(agent, seed, *parts, seat).items():
            figures[name.replace(" against", f" as {seat} against", 1)] = value
    return figures


def _on_graph(agent: Any, opponent: RulePlayerByName, games: int, seat: str, seed: int) -> Tally:
    """Where the game is a graph: tables are walked, no board is needed."""
    graph = graph_of(agent.game)
    own, other = agent.policies(graph), rule_policies(graph, opponent.rules)
    tally = Tally()
    for number, name in enumerate(SEATS):
        share = games if seat == name else (games + 1 - number) // 2 if seat == "both" else 0
        if share:
            streams = (
                make_stream(seed, EVALUATION, FIRST, number),
                make_stream(seed, EVALUATION, SECOND, number),
            )
            sides = (own, other) if number == 0 else (other, own)
            ends = sample_games(graph, sides[0], sides[1], share, streams)
            wins, draws, losses = ends if number == 0 else ends[::-1]
            tally += Tally(share, wins, draws, losses)
    return tally


def _on_boards(agent: Any, opponent: Any, games: int, seat: str, seed: int) -> Tally:
    return match(agent.game, agent, opponent, games, seed, seat=seat).total


def _expert(agent: Any, seed: int, seat: str = "second") -> Figures:
    """One game for each opening move against a deterministic expert (hybrid paper, Table 4).

    The expert moves first, its opening is given, and its other moves are the lowest that keep the
    game's value. Exactly, with the agent's ties averaged: `exactly lost against expert`.
    """
    if seat != "second":
        raise InputError("the expert opens, so the agent is second")
    graph = graph_of(agent.game)
    own, expert = agent.policies(graph), expert_policy(graph)
    streams = make_stream(seed, EVALUATION, FIRST, 2), make_stream(seed, EVALUATION, SECOND, 2)
    ends = [
        sample_games(graph, [expert], own, 1, streams, int(move))
        for move in graph.move[: graph.edge_start[1]]
    ]
    won, drawn, lost = (float(sum(end[side] for end in ends)) for side in (2, 1, 0))
    opened = expert.copy()
    opened[: graph.edge_start[1]] = 1.0
    exactly = _mean_odds(graph, [opened], own)[0] * int(graph.edge_start[1])
    return {
        "won against expert": won,
        "drawn against expert": drawn,
        "lost against expert": lost,
        "exactly lost against expert": exactly,
    }


def _exact(agent: Any, seed: int, against: str = "random") -> Figures:  # noqa: ARG001
    """The chances against a rule player, in each seat."""
    graph = graph_of(agent.game)
    own, other = policies_of(agent, graph), rule_policies(graph, player(against).rules)
    first, second = _mean_odds(graph, own, other), _mean_odds(graph, other, own)[::-1]
    return {
        f"chance {end} as {seat} against {against}": chances[place]
        for seat, chances in zip(SEATS, (first, second), strict=True)
        for place, end in enumerate(("won", "drawn", "lost"))
    }


def _certificate(agent: Any, seed: int) -> Figures:  # noqa: ARG001
    """What is proven of the agent, in each seat."""
    graph = graph_of(agent.game)
    policies, figures = policies_of(agent, graph), dict[str, float]()
    for seat, name in enumerate(SEATS):
        proven = certify_seat(graph, policies, seat)
        figures[f"unbeatable as {name}"] = float(bool(proven.unbeatable))
        figures[f"converts as {name}"] = float(bool(proven.unbeatable) and proven.converts)
    return figures


def _perfect(agent: Any, seed: int, *arguments: str) -> Figures:
    """Where the solver reaches: it is imported only when it is asked for."""
    from inarow.lab.examine_perfect import against_perfect

    return against_perfect(agent, seed, *arguments)


def _anyone(agent: Any, seed: int, seat: str = "first", stones: str = "") -> Figures:  # noqa: ARG001
    """All positions and endings that any opponent can bring about (`graph.anyone`).

    With a number of stones it ends there, and the positions with as many are solved.
    """
    if seat not in SEATS:
        raise InputError(f"seat {seat!r} must be one of {', '.join(SEATS)}")
    if stones and not stones.isdigit():
        raise InputError(f"{stones!r} must be a number of stones")
    player_arrays, end = agent.compiled(tables_of(agent.game)), int(stones) if stones else None
    found = walk_against_anyone(agent.game, player_arrays, SEATS.index(seat), stones=end)
    counts = {
        "positions": found.positions,
        "won": found.won,
        "drawn": found.drawn,
        "lost": found.lost,
    }
    if end is not None:
        from inarow.search.endgame import count_won  # loads the solver

        reached = len(found.beyond[0])
        counts[f"reached with {end} stones"] = reached
        counts[f"no longer won with {end} stones"] = reached - count_won(agent.game, *found.beyond)
    return {f"{name} as {seat} against anyone": float(n) for name, n in counts.items()}


def _mean_odds(
    graph: Graph, first: list[Policy], second: list[Policy]
) -> tuple[float, float, float]:
    """The first wins, draw, the second wins: the mean over all pairs."""
    all_odds = [odds(graph, one, two) for one in first for two in second]
    return (
        float(sum(o.first for o in all_odds)) / len(all_odds),
        float(sum(o.draw for o in all_odds)) / len(all_odds),
        float(sum(o.second for o in all_odds)) / len(all_odds),
    )


EXAMINATIONS: dict[str, Callable[..., Figures]] = {
    "games": _games,
    "seats": _seats,
    "expert": _expert,
    "exact": _exact,
    "certificate": _certificate,
    "perfect": _perfect,
    "anyone": _anyone,
}
