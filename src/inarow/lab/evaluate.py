"""Evaluations of an agent while it learns or when it is done: named, with seeds of their own.

Each takes an agent and measures some things by name. Sampled ones draw from evaluation streams
that no training uses; exact ones are sweeps over the game's graph.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from inarow.engine.streams import EVALUATION, FIRST, SECOND, Stream, make_stream
from inarow.engine.tables import tables_of
from inarow.game import Game, InputError
from inarow.graph.anyone import traverse_against_anyone
from inarow.graph.cache import kept
from inarow.graph.certificate import certify_side
from inarow.graph.exploitability import answer_to
from inarow.graph.graph import Graph, graph_of
from inarow.graph.odds import Policy, mean_odds
from inarow.graph.policies import expert_policy, rule_policies
from inarow.graph.sampling import sample_games
from inarow.lab.certify import policies_of
from inarow.lab.exact import exact_policies
from inarow.lab.late_mistakes import endings_reached, judge_late
from inarow.lab.match import match
from inarow.lab.match_result import Tally
from inarow.lab.players import RulePlayerByName, player
from inarow.learn.agent import LearnedAgent
from inarow.learn.tabular.agent import TabularAgent

Measurements = dict[str, float]
SIDES = ("first", "second")


def evaluate(agent: LearnedAgent, evaluation: str, seed: int) -> Measurements:
    """What an evaluation measures, as `games:random:1000000:second`, `expert:second`, `exact`.

    - `games:PLAYER:NUMBER[:SIDE]`: games against a player, on one side or in both in turn
    - `sides:PLAYER:NUMBER`: so many games on each side, told apart
    - `expert[:SIDE]`: one game for each opening move against the papers' deterministic expert
    - `exact[:PLAYER]`: chances of the agent against a player (random), without sampling
    - `score:PLAYER[:NUMBER][:SIDE]`: wins and half the draws, as a share; exactly without a number
    - `exploitability[:SIDE]`: what best responses gain over perfect play (`graph.exploitability`)
    - `certificate`: whether it can be beaten, and whether it converts every won position
    - `perfect[:NUMBER[:SIDE]]`: games against perfect play, and mistakes by number of stones
    - `anyone[:SIDE[:STONES]]`: every game against every opponent, enumerated: how many end how
    - `endings:GAMES[:STONES]`: moves late in games against itself, judged by the solver
    """
    check_evaluation(evaluation)
    name, *arguments = evaluation.split(":")
    try:
        return EVALUATIONS[name](agent, seed, *arguments)
    except TypeError:
        raise InputError(f"evaluation {evaluation!r} has too few or too many parts") from None


def check_evaluation(evaluation: object) -> None:
    """Refuses what no evaluation is called."""
    if not isinstance(evaluation, str) or evaluation.partition(":")[0] not in EVALUATIONS:
        raise InputError(f"unknown evaluation {evaluation!r}: there is {', '.join(EVALUATIONS)}")


class Contest(NamedTuple):
    """Games against a player, on one side or on both in turn."""

    against: str
    games: int
    side: str

    @property
    def shares(self) -> tuple[int, int]:
        """How many of the games the agent plays as first and as second."""
        games = self.games
        shares = {"first": (games, 0), "second": (0, games)}
        return shares.get(self.side, ((games + 1) // 2, games // 2))

    def measurements(self, tally: Tally, game: Game) -> Measurements:
        """What is said of games that were played."""
        counts = {"won": tally.wins, "drawn": tally.draws, "lost": tally.losses}
        if game.scoring and tally.plies:  # played on boards
            counts["lines ahead"] = tally.lines_for - tally.lines_against
        return {f"{end} against {self.against}": float(count) for end, count in counts.items()}


def contest_of(*parts: str) -> Contest:
    """What the parts of an evaluation behind `games` say."""
    # Names of players may have colons too.
    said = re.fullmatch(r"(.+):([1-9][0-9]*)(?::(first|second|both))?", ":".join(parts))
    if said is None:
        raise InputError(f"'games:{':'.join(parts)}' is not games:PLAYER:NUMBER[:SIDE]")
    return Contest(said[1], int(said[2]), said[3] or "both")


def _games(agent: LearnedAgent, seed: int, *parts: str) -> Measurements:
    """Sampled games against a player: the paper's test."""
    contest = contest_of(*parts)
    opponent = player(contest.against)
    if isinstance(agent, TabularAgent) and isinstance(opponent, RulePlayerByName):
        graph = graph_of(agent.game)
        own, other = agent.policies(graph), rule_policies(graph, opponent.rules)
        tally = _on_graph(graph, own, other, contest.shares, seed)
    else:
        tally = match(agent.game, agent, opponent, contest.games, seed, side=contest.side).total
    return contest.measurements(tally, agent.game)


def _sides(agent: LearnedAgent, seed: int, *parts: str) -> Measurements:
    """The same for each side, told apart."""
    measurements: Measurements = {}
    for side in SIDES:
        measurements |= of_side(_games(agent, seed, *parts, side), side)
    return measurements


def of_side(measured: Measurements, side: str) -> Measurements:
    """The same with the agent's side in the names."""
    return {name.replace(" against", f" as {side} against", 1): measured[name] for name in measured}


def _on_graph(
    graph: Graph, own: list[Policy], other: list[Policy], shares: tuple[int, int], seed: int
) -> Tally:
    """Where the game is a graph: tables are walked, no board is needed."""
    tally = Tally()
    for number, share in enumerate(shares):
        if share:
            sides = (own, other) if number == 0 else (other, own)
            ends = sample_games(graph, sides[0], sides[1], share, contest_streams(seed, number))
            wins, draws, losses = ends if number == 0 else ends[::-1]
            tally += Tally(share, wins, draws, losses)
    return tally


def contest_streams(seed: int, side: int) -> tuple[Stream, Stream]:
    """Of the first player and the second, where the agent has that side."""
    return (
        make_stream(seed, EVALUATION, FIRST, side),
        make_stream(seed, EVALUATION, SECOND, side),
    )


def _expert(agent: LearnedAgent, seed: int, side: str = "second") -> Measurements:
    """One game for each opening move against a deterministic expert (hybrid paper, Table 4).

    The expert moves first, its opening is given, and its other moves are the lowest that keep the
    game's value. Exactly, with the agent's ties averaged: `exactly lost against expert`.
    """
    if side != "second":
        raise InputError("the expert opens, so the agent is second")
    graph = graph_of(agent.game)
    own, (expert, opened) = policies_of(agent, graph), _experts(graph)
    streams = make_stream(seed, EVALUATION, FIRST, 2), make_stream(seed, EVALUATION, SECOND, 2)
    lost, drawn, won = map(float, sample_games(graph, [expert], own, 1, streams, openings=True))
    exactly = float(mean_odds(graph, [opened], own).first) * int(graph.edge_start[1])
    return {
        "won against expert": won,
        "drawn against expert": drawn,
        "lost against expert": lost,
        "exactly lost against expert": exactly,
    }


@kept
def _experts(graph: Graph) -> tuple[Policy, Policy]:
    """The expert, and the same with any opening move."""
    expert = expert_policy(graph)
    opened = expert.copy()
    opened[: graph.edge_start[1]] = 1.0
    return expert, opened


def _exact(agent: LearnedAgent, seed: int, against: str = "random") -> Measurements:  # noqa: ARG001
    """The chances against a player, on each side."""
    return {
        f"chance {end} as {side} against {against}": chance
        for side, chances in _chances(agent, against).items()
        for end, chance in zip(("won", "drawn", "lost"), chances, strict=True)
    }


def _chances(agent: LearnedAgent, against: str) -> dict[str, tuple[float, float, float]]:
    """Won, drawn and lost on each side, exactly."""
    graph = graph_of(agent.game)
    own, other = policies_of(agent, graph), exact_policies(against, graph)
    first, second = mean_odds(graph, own, other), mean_odds(graph, other, own)
    return {
        "first": (float(first.first), float(first.draw), float(first.second)),
        "second": (float(second.second), float(second.draw), float(second.first)),
    }


def _score(agent: LearnedAgent, seed: int, *parts: str) -> Measurements:
    """Wins and half the draws, as a share of the games."""
    said = re.fullmatch(r"(.+?)(?::([1-9][0-9]*))?(?::(first|second|both))?", ":".join(parts))
    if said is None:
        raise InputError("'score' says against whom: score:PLAYER[:NUMBER][:SIDE]")
    against, number, side = said[1], said[2], said[3] or "both"
    if number:
        score = match(agent.game, agent, against, int(number), seed, side=side).total.score
    else:
        sides = SIDES if side == "both" else (side,)
        chances = [_chances(agent, against)[name] for name in sides]
        score = sum(won + drawn / 2 for won, drawn, _ in chances) / len(chances)
    return {f"score {'' if side == 'both' else f'as {side} '}against {against}": score}


def _exploitability(agent: LearnedAgent, seed: int, side: str = "both") -> Measurements:  # noqa: ARG001
    """What a best response gains over the value of the game when the agent has a side."""
    if side not in (*SIDES, "both"):
        raise InputError(f"side {side!r} must be one of {', '.join(SIDES)}, both")
    graph = graph_of(agent.game)
    found = answer_to(graph, policies_of(agent, graph)[0])  # learned agents have one policy
    gains = {"first": found.gain("second"), "second": found.gain("first")}
    wanted = SIDES if side == "both" else (side,)
    measured = {f"exploitability as {name}": float(gains[name]) for name in wanted}
    if side == "both":
        measured["exploitability"] = float(found.exploitability)
    return measured


def _certificate(agent: LearnedAgent, seed: int) -> Measurements:  # noqa: ARG001
    """What is proven of the agent, on each side."""
    graph = graph_of(agent.game)
    policies, measurements = policies_of(agent, graph), dict[str, float]()
    for side, name in enumerate(SIDES):
        proven = certify_side(graph, policies, side)
        measurements[f"unbeatable as {name}"] = float(bool(proven.unbeatable))
        measurements[f"converts as {name}"] = float(bool(proven.unbeatable) and proven.converts)
    return measurements


def _perfect(agent: LearnedAgent, seed: int, *arguments: str) -> Measurements:
    """Where the solver reaches: it is imported only when it is asked for."""
    from inarow.lab.evaluate_perfect import against_perfect

    return against_perfect(agent, seed, *arguments)


def _anyone(agent: LearnedAgent, seed: int, side: str = "first", stones: str = "") -> Measurements:  # noqa: ARG001
    """All positions and endings that any opponent can bring about (`graph.anyone`).

    With a number of stones it ends there, and the positions with as many are solved.
    """
    if side not in SIDES:
        raise InputError(f"side {side!r} must be one of {', '.join(SIDES)}")
    if stones and not stones.isdigit():
        raise InputError(f"{stones!r} must be a number of stones")
    player_arrays, end = agent.compiled(tables_of(agent.game)), int(stones) if stones else None
    found = traverse_against_anyone(agent.game, player_arrays, SIDES.index(side), stones=end)
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
    return {f"{name} as {side} against anyone": float(n) for name, n in counts.items()}


def _endings(agent: LearnedAgent, seed: int, games: str, stones: str = "") -> Measurements:
    """Mistakes from a number of stones on: the one from which the solver decides most positions."""
    if not (games + stones).isdigit():
        raise InputError(f"'endings:{games}:{stones}' is not endings:GAMES[:STONES]")
    start = int(stones) if stones else endings_reached(agent.game)
    if start is None:
        raise InputError(f"the solver reaches no endings of {agent.game.name}: give the stones")
    rates = judge_late(agent, agent.game, start, int(games), seed).rates
    counts = {
        "positions": sum(rate.positions for rate in rates),
        "judged": sum(rate.judged for rate in rates),
        "mistakes": sum(rate.mistakes for rate in rates),
    }
    return {f"{name} from {start} stones on": float(n) for name, n in counts.items()}


EVALUATIONS: dict[str, Callable[..., Measurements]] = {
    "games": _games,
    "sides": _sides,
    "expert": _expert,
    "exact": _exact,
    "score": _score,
    "exploitability": _exploitability,
    "certificate": _certificate,
    "perfect": _perfect,
    "anyone": _anyone,
    "endings": _endings,
}
