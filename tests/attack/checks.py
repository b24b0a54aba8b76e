"""All that can be asked of a game, compared with brute force. Each check raises `Disagreement`."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import inarow
from inarow.game import InputError, Position
from inarow.game import game as game_of
from inarow.game.position import move_text, moves_text
from inarow.graph.certificate import certify_side
from inarow.graph.graph import graph_of, values_of
from inarow.graph.odds import best_response, odds
from inarow.lab.matches.games import replay_all
from inarow.lab.players.protocols import states_policy
from inarow.lab.values.move_values import Bounds, Budget, MoveBounds, bound_moves
from inarow.search.opening_book import make_book
from inarow.search.solver import Solution
from tests.attack.drawing import PLAYERS, Case, by_rules, perfect
from tests.attack.rules import Policy, Rules, Stones, TooLarge

SIDES = ("first", "second")
NAMES = {1: "first", 0: "draw", -1: "second"}


class Disagreement(Exception):  # noqa: N818
    """The package says something else than brute force."""


class Skipped(Exception):  # noqa: N818
    """A check had nothing to compare in a case: the game is too large, or an answer was refused."""


def each(*parts: Callable[[], None]) -> None:
    """Compare all parts; skipped if each of them is."""
    skipped = 0
    for part in parts:
        try:
            part()
        except Skipped:
            skipped += 1
    if skipped == len(parts):
        raise Skipped


def same(what: str, ours: object, plain: object) -> None:
    """Compare an answer of the package with that of brute force."""
    if ours != plain:
        raise Disagreement(f"{what}: inarow says {ours!r}, brute force {plain!r}")


def holds(what: str, found: bool) -> None:
    """Note what cannot be."""
    if not found:
        raise Disagreement(what)


# The rules


def check_rules(case: Case) -> None:
    """Lines, moves, scores and ends along random games."""
    game, rules = game_of(case.name), case.rules
    same("name", game_of(game.name), game)
    same("lines", sorted(tuple(sorted(line)) for line in game.lines.tolist()), rules.lines)
    same("line_count", game.line_count, len(rules.lines))
    for row in game.symmetries[:50].tolist():
        moved = sorted(tuple(sorted(row[c] for c in line)) for line in rules.lines)
        same(f"symmetry {row}", moved, rules.lines)
    for _ in range(3):
        position = Position(game)
        for move in [*case.random_game(), None]:
            stones = position.stones
            same(f"legal moves after {position.moves}", position.legal_moves, rules.moves(stones))
            same(f"score after {position.moves}", list(position.score), rules.score(stones))
            result = rules.result(stones)
            winner = None if position.outcome is None else position.outcome.winner
            same(f"goes on after {position.moves}", position.outcome is None, result is None)
            same(f"winner after {position.moves}", winner, {1: 1, -1: 2}.get(result))
            if move is not None:
                position.push(move)
        same("notation", game.position(position.notation).moves, position.moves)
        while position.ply:
            position.pop()
        same("moves taken back", position.stones, rules.empty)


def check_playouts(case: Case) -> None:
    """Records of matches between compiled players, and of a batch, are games by the rules."""
    game, rules = game_of(case.name), case.rules
    names = ["random", "benchmark", "minimax:1", "minimax:3", "mcts:8", "level:3"]
    if not rules.misere:
        names += [*PLAYERS, "greedy-lines", "attack", "combined"]
    one, other = (inarow.player(case.random.choice(names)) for _ in range(2))
    seen: list[Position] = []  # those of players that need Python
    result = inarow.match(game, one, other, 6, case.random.randrange(1000), watch=seen.append)
    halves = result.as_first, result.as_second
    if all(map(states_policy, (one, other))):
        seen = list(replay_all(result, one, other))
    ends = [_played(rules, list(position.moves)) for position in seen]
    for swap, tally in enumerate(halves):
        own = ends[3 * swap : 3 * swap + 3]
        sign = -1 if swap else 1
        plain = [own.count(end) for end in (sign, 0, -sign)]
        where = f"results of {result.players}, swapped {swap}"
        same(where, [tally.wins, tally.draws, tally.losses], plain)
    games = inarow.batch(game, 5, seed=case.random.randrange(1000), record=True)
    games.reset()
    for _ in range(2 * rules.cells):
        before = [tuple(games.position(n).moves) for n in range(5)]
        for n, moves in enumerate(before):
            legal = np.flatnonzero(games.action_masks[n]).tolist()
            same(f"mask after {moves}", legal, rules.moves(case.after(list(moves))))
        actions = games.random_actions()
        step = games.step(actions)
        for n, moves in enumerate(before):
            after = case.after([*moves, int(actions[n])])
            end = rules.result(after)
            same(f"done after {moves} {actions[n]}", bool(step.done[n]), end is not None)
            own = (end or 0) * (1 if len(moves) % 2 == 0 else -1)
            same(f"reward after {moves} {actions[n]}", float(step.rewards[n]), float(own))


def _played(rules: Rules, moves: list[int]) -> int:
    """The end of a record; each of its moves must be one."""
    stones = rules.empty
    for move in moves:
        holds(f"record {moves} has a move that cannot be played", move in rules.moves(stones))
        stones = rules.play(stones, move)
    end = rules.result(stones)
    holds(f"record {moves} is of no whole game", end is not None)
    return end


def check_adapters(case: Case) -> None:
    """Gymnasium, PettingZoo and OpenSpiel play the same games."""
    import pyspiel

    import inarow.adapters.open_spiel  # noqa: F401
    from inarow.adapters import pettingzoo
    from inarow.adapters.gymnasium import InARowEnv

    rules, moves = case.rules, case.random_game()
    end = _played(rules, moves)
    spiel = pyspiel.load_game(
        "inarow(game=" + case.name.replace(",", ";").replace("=", ":") + ")"
    ).new_initial_state()
    zoo = pettingzoo.env(case.name)
    zoo.reset(seed=1)
    stones = rules.empty
    for move in moves:
        same("OpenSpiel's moves", spiel.legal_actions(), rules.moves(stones))
        mask = zoo.last()[0]["action_mask"]
        same("PettingZoo's moves", np.flatnonzero(mask).tolist(), rules.moves(stones))
        spiel.apply_action(move)
        zoo.step(move)
        stones = rules.play(stones, move)
    holds("OpenSpiel's state goes on", spiel.is_terminal())
    same("OpenSpiel's returns", spiel.returns(), [float(end), float(-end)])
    same("PettingZoo's rewards", [float(zoo.rewards[a]) for a in zoo.possible_agents],
         [float(end), float(-end)])  # fmt: skip
    side = "first" if rules.k == 1 else case.random.choice(SIDES)  # the first stone ends the game
    gym = InARowEnv(case.name, "random", side)
    _, info = gym.reset(seed=case.random.randrange(100))
    reward, over = 0.0, False
    while not over:
        played = list(gym.batch.position(0).moves)
        legal = np.flatnonzero(info["action_mask"]).tolist()
        same(f"Gymnasium's moves after {played}", legal, rules.moves(case.after(played)))
        _, reward, over, _, info = gym.step(case.random.choice(legal))
    end = _played(rules, list(gym._shown.moves))
    same(f"Gymnasium's reward of {gym._shown.moves}", reward,
         float(end if side == "first" else -end))  # fmt: skip


# Values


def check_counts(case: Case) -> None:
    """Counts, games, values and distances of a whole small game."""
    from inarow.graph.counting import count_positions

    if case.plies is None:
        raise Skipped
    rules, plies = case.rules, case.plies
    game = game_of(case.name)
    count = count_positions(game)
    every = [stones for ply in plies for stones in ply]
    same("positions", count.by_ply, [len(ply) for ply in plies])
    same("unfinished", count.unfinished, len(case.going_on))
    rows = game.symmetries.tolist()
    if len(rows) * len(every) < 200_000:
        orbits = [len({_lowest(stones, rows) for stones in ply}) for ply in plies]
        same("positions up to symmetry", count.up_to_symmetry_by_ply, orbits)
    ends = {stones: rules.end(stones) for stones in every}
    values = Counter(NAMES[value] for value, _ in ends.values())
    same("values", count.values, {name: values[name] for name in ("first", "draw", "second")})
    same("value", count.value, NAMES[ends[rules.empty][0]])
    games = Counter[str]()
    for ply in plies:
        for stones, ways in ply.items():
            if (result := rules.result(stones)) is not None:
                games[NAMES[result]] += ways
    plain = {"total": games.total(), **{n: games[n] for n in ("first", "second", "draw")}}
    same("games", None if count.games is None else dict(count.games), plain)
    for reduced in (False, True):
        graph = graph_of(game, reduced)
        found = values_of(graph)
        for number in range(graph.positions):
            stones = _stones(graph, number)
            ours = int(found.value[number]), int(found.distance[number])
            same(f"value and distance of {stones}", ours, ends[stones])


def _lowest(stones: Stones, rows: list[list[int]]) -> Stones:
    images = []
    for row in rows:
        image = [0] * len(stones)
        for cell, stone in enumerate(stones):
            image[row[cell]] = stone
        images.append(tuple(image))
    return min(images)


def _stones(graph: Any, number: int) -> Stones:
    one, two = int(graph.first[number]), int(graph.second[number])
    return tuple(
        1 if one >> cell & 1 else 2 if two >> cell & 1 else 0 for cell in range(graph.game.cells)
    )


def _end_of_move(case: Case, stones: Stones, move: int) -> tuple[int, int | None]:
    """Value for the side that plays it, and the stones until the end where a line decides."""
    value, moves = case.rules.end(case.rules.play(stones, move))
    value *= 1 if case.rules.mover(stones) == 1 else -1
    return value, None if value == 0 or case.rules.scoring else moves + 1


def check_solving(case: Case) -> None:
    """Exact scores, perfect play and minimax to the end in positions near the end."""
    game, moves = game_of(case.name), case.late_moves()
    stones, position = case.after(moves), game.position(moves_text(game, moves))
    ends = {m: _end_of_move(case, stones, m) for m in case.rules.moves(stones)}

    def solve() -> None:
        try:
            found = inarow.solve(position)
        except InputError:
            raise Skipped from None
        if isinstance(found, Solution):
            signs = {m: (s > 0) - (s < 0) for m, s in found.moves.items()}
            same(f"values of moves after {moves}", signs, {m: end[0] for m, end in ends.items()})
            same(f"value after {moves}", found.value, max(end[0] for end in ends.values()))
            best = [m for m, score in found.moves.items() if score == found.score]
            same(f"best moves after {moves}", best, case.rules.best(stones)[0])
        else:
            same(f"value after {moves}", found.value, max(end[0] for end in ends.values()))
            for move in found.moves:
                same(f"proven move {move} after {moves}", ends[move][0], found.value)

    def play() -> None:
        if case.rules.scoring:
            raise Skipped
        move = inarow.player("perfect").move(position)
        holds(f"perfect plays {move} after {moves}", move in case.rules.keeping(stones))
        depth = max(1, stones.count(0))
        move = inarow.player(f"minimax:{depth}").move(position)
        holds(f"minimax:{depth} plays {move} after {moves}", move in case.rules.best(stones)[0])

    each(solve, play)


def check_bounds(case: Case) -> None:
    """What is said of moves when a budget ends anywhere."""
    game = game_of(case.name)
    moves = case.late_moves()
    position, stones = game.position(moves_text(game, moves)), case.after(moves)
    limits = [{"nodes": case.random.choice((1, 2, 3, 5, 9, 17, 40, 200))} for _ in range(4)]
    limits += [{"seconds": 10 ** case.random.uniform(-6, -2)} for _ in range(4)]

    def bound(limit: dict[str, Any]) -> None:
        try:
            found = bound_moves(position, Budget(**limit))
        except InputError as error:
            holds(
                f"{error} of {limit}", "nodes" in limit and "give a number of seconds" in str(error)
            )
            raise Skipped from None
        _check_bounds(case, stones, found, f"after {moves} with {limit}")

    each(*(partial(bound, limit) for limit in limits))


def _check_bounds(case: Case, stones: Stones, found: MoveBounds, where: str) -> None:
    ends = {m: _end_of_move(case, stones, m) for m in case.rules.moves(stones)}
    same(f"moves {where}", sorted(found.moves), sorted(ends))
    for move, bounds in found.moves.items():
        _true(bounds, ends[move], f"of move {move} {where}")
    best = case.rules.best(stones)[0]
    _true(found.position, ends[best[0]], f"of the position {where}")
    for move in found.best:
        good = move in (best if found.position.stones is not None else case.rules.keeping(stones))
        holds(f"move {move} is said to be best {where}: the best are {best}", good)


def _true(said: Bounds, end: tuple[int, int | None], what: str) -> None:
    value, stones = end
    holds(f"bounds {said} {what}, which is {end}", said.low <= value <= said.high)
    if said.stones is not None:
        holds(f"bounds {said!r} {what}", said.exact)
        same(f"stones until the end {what}", said.stones, stones)


def check_book(case: Case) -> None:
    """An opening book, where one can be made."""
    game, rules = game_of(case.name), case.rules
    if case.plies is None or rules.cells < 2:
        raise Skipped
    with tempfile.TemporaryDirectory() as folder:
        try:
            book = make_book(game, case.random.randrange(rules.cells), Path(folder) / "work.db", 1)
        except InputError:
            raise Skipped from None
    for ply in case.plies[: book.ply + 1]:
        for stones in case.random.sample(sorted(ply), min(len(ply), 40)):
            if rules.result(stones) is None:
                position = _position(case, stones)
                score, (value, moves) = book.find(position), rules.end(stones)
                sign = value * (1 if rules.mover(stones) == 1 else -1)
                left = rules.cells - sum(map(bool, stones))
                same(f"book score of {position.moves}", score, sign * ((left - moves) // 2 + 1))


def _position(case: Case, stones: Stones) -> Position:
    """A position by some order of its stones."""
    moves = _order(case, stones)
    assert moves is not None
    return game_of(case.name).position(moves_text(game_of(case.name), moves))


def _order(case: Case, stones: Stones) -> list[int] | None:
    """Moves backwards: the last stone is one of the side that has played."""
    rules, number = case.rules, sum(map(bool, stones))
    if not number:
        return []
    side = 1 if number % 2 else 2
    for cell in range(rules.cells):
        if stones[cell] == side:
            before = (*stones[:cell], 0, *stones[cell + 1 :])
            move = cell % rules.stack
            if rules.landing(before, move) == cell and rules.result(before) is None:
                moves = _order(case, before)
                if moves is not None:
                    return [*moves, move]
    return None


# Odds, responses, certificates


def _policies(case: Case) -> dict[str, Policy]:
    """Players by plain rules, by their names."""
    rules, places = case.rules, case.going_on
    found = {"random": by_rules(rules, (), places)}
    if not rules.misere:
        found |= {name: by_rules(rules, words, places) for name, words in PLAYERS.items()}
    for choice in () if rules.scoring else ("best", "first", "value"):
        name = "perfect" if choice == "best" else f"perfect@{choice}"
        found[name] = perfect(rules, choice, places)
    return found


def check_odds(case: Case) -> None:
    """Exact odds between players, the best response, and certificates of them."""
    if case.plies is None:
        raise Skipped
    game, rules, policies = game_of(case.name), case.rules, _policies(case)
    one, other = (case.random.choice(sorted(policies)) for _ in range(2))
    ends = rules.odds(policies[one], policies[other], rules.empty, {})
    found = inarow.exact_odds(game, one, other)
    _near(f"odds of {one} against {other}", (found.first, found.draw, found.second), ends)
    _check_response(case, one, policies[one])
    certificate = inarow.certify(one, game)
    holds(f"{one} is not proven", certificate.proven)
    for side, name in enumerate(SIDES):
        _check_certificate(case, policies[one], side, certificate.sides[name], one)
    result = inarow.match(game, one, other, 20, case.random.randrange(1000))
    for swap, tally in enumerate((result.as_first, result.as_second)):
        pair = (policies[one], policies[other])[:: -1 if swap else 1]
        first, draw, second = rules.odds(*pair, rules.empty, {})
        won, lost = (second, first) if swap else (first, second)
        for text, number, chance in (
            ("wins", tally.wins, won), ("draws", tally.draws, draw), ("losses", tally.losses, lost)
        ):  # fmt: skip
            may_be = (number == 0 or chance > 0) and (number == tally.games or chance < 1)
            holds(f"{number} {text} of {one} against {other}, of chance {chance}", may_be)


def _near(what: str, ours: tuple[Any, ...], plain: tuple[Fraction, ...]) -> None:
    if all(isinstance(end, Fraction) for end in ours):
        same(what, ours, plain)
    elif any(abs(float(a) - float(b)) > 1e-9 for a, b in zip(ours, plain, strict=True)):
        raise Disagreement(f"{what}: inarow says {ours}, brute force {plain}")


def _check_response(case: Case, name: str, policy: Policy) -> None:
    rules, gains = case.rules, []
    value = rules.end(rules.empty)[0]
    response = inarow.best_response(name, game_of(case.name))
    for side, sign in zip(SIDES, (1, -1), strict=True):
        pair = (None, policy) if side == "first" else (policy, None)
        first, _, second = rules.odds(*pair, rules.empty, {})
        best = sign * (first - second)
        _near(f"value of the best response to {name} as {side}", (response.value[side],), (best,))
        gains.append(best - sign * value)
    _near(f"exploitability of {name}", (response.exploitability,), (sum(gains) / 2,))


def check_weights(case: Case) -> None:
    """Odds and certificates of policies with weights of any size."""
    if case.plies is None:
        raise Skipped
    graph, rules = graph_of(game_of(case.name)), case.rules
    kind = case.random.choice(("whole", "tiny", "huge", "mixed", "large whole", "plain"))
    arrays = [_draw_weights(case, graph, kind) for _ in SIDES]
    first, second = (_as_policy(graph, array) for array in arrays)
    ends = rules.odds(first, second, rules.empty, {})
    exact = all((array == np.floor(array)).all() for array in arrays)
    for exactly in (False, True)[: 1 + exact]:
        found = odds(graph, *arrays, exact=exactly)
        _near(f"odds of {kind} weights", (found.first, found.draw, found.second), ends)
    for side in (0, 1):
        found, _ = best_response(graph, arrays[0], side, exact=exact)
        pair = (None, first) if side == 0 else (first, None)
        plain = rules.odds(*pair, rules.empty, {})
        _near(f"best response to {kind} weights", (found.first - found.second,),
              (plain[0] - plain[2],))  # fmt: skip
        proof = certify_side(graph, [arrays[0]], side)
        _check_certificate(case, first, side, proof, f"{kind} weights")


def _draw_weights(case: Case, graph: Any, kind: str) -> Any:
    chance = case.random
    draw: dict[str, Callable[[], float]] = {
        "whole": lambda: float(chance.randint(0, 3)),
        "tiny": lambda: 5e-324 * chance.randint(0, 4),
        "huge": lambda: chance.choice((0.0, 1.7e308, 9e307)),
        "mixed": lambda: chance.choice((0.0, 5e-324, 1.0, 1e-300, 1e308)),
        "large whole": lambda: float(2 ** chance.randint(52, 1023)) * chance.randint(0, 1),
        "plain": lambda: chance.choice((0.0, chance.random())),
    }
    weights = np.array([draw[kind]() for _ in range(graph.edges)])
    for number in range(graph.positions):
        edges = slice(int(graph.edge_start[number]), int(graph.edge_start[number + 1]))
        if edges.stop > edges.start and not weights[edges].any():
            weights[chance.randrange(edges.start, edges.stop)] = max(draw[kind](), 5e-324)
    return weights


def _as_policy(graph: Any, weights: Any) -> Policy:
    found: Policy = {}
    for number in range(graph.positions):
        edges = range(int(graph.edge_start[number]), int(graph.edge_start[number + 1]))
        if edges:
            found[_stones(graph, number)] = {
                int(graph.move[edge]): Fraction(float(weights[edge])) for edge in edges
            }
    return found


def _check_certificate(case: Case, policy: Policy, side: int, proof: Any, who: str) -> None:
    """Whether a certificate says of a policy what brute force finds."""
    rules, own_sign, what = case.rules, 1 - 2 * side, f"certificate of {who} as {SIDES[side]}"
    own = [stones for stones in case.going_on if rules.mover(stones) == side + 1]
    may = {stones: [m for m, w in policy[stones].items() if w] for stones in own}
    mistaken = {s for s in own if any(m not in rules.keeping(s) for m in may[s])}
    met, losses = {rules.empty}, list[int]()
    for ply in case.plies or []:
        for stones in ply:
            if stones in met:
                if rules.result(stones) == -own_sign:
                    losses.append(sum(map(bool, stones)))
                for move in may.get(stones, rules.moves(stones)):
                    met.add(rules.play(stones, move))
    same(f"{what}: unbeatable", proof.unbeatable, not losses)
    refuted = None
    if proof.refutation is not None:
        refuted = list(game_of(case.name).position(proof.refutation).moves)
        _follows(rules, refuted, may, f"{what}: {proof.refutation}")
        same(f"{what}: end of {proof.refutation}", rules.result(case.after(refuted)), -own_sign)
    same(f"{what}: moves to a loss", refuted and len(refuted), min(losses, default=None))
    same(f"{what}: positions", proof.positions, len(own))
    same(f"{what}: met", proof.met, len(met & set(own)))
    same(f"{what}: mistakes", proof.mistakes, len(mistaken))
    same(f"{what}: mistakes met", proof.mistakes_met, len(mistaken & met))
    won = {s for s in own if s in met and rules.end(s)[0] == own_sign}
    same(f"{what}: won", proof.won_met, len(won))
    same(f"{what}: thrown away", proof.thrown_away, len(won & mistaken))
    same(f"{what}: a mistake", proof.mistake is not None, bool(mistaken))
    if proof.mistake is not None:
        place = game_of(case.name).position(proof.mistake).stones
        holds(f"{what}: {proof.mistake} leads to no mistake", place in mistaken)
    chance = _loss_chance(rules, policy, side, rules.empty, {})
    _near(f"{what}: chance of a loss", (proof.loss_chance,), (chance,))


def _follows(rules: Rules, moves: list[int], may: dict[Stones, list[int]], what: str) -> None:
    stones = rules.empty
    for move in moves:
        holds(f"{what} is not played", move in may.get(stones, rules.moves(stones)))
        stones = rules.play(stones, move)


def _loss_chance(
    rules: Rules, policy: Policy, side: int, stones: Stones, known: dict[Stones, Fraction]
) -> Fraction:
    """How often an opponent wins who wants nothing else."""
    if stones not in known:
        result = rules.result(stones)
        if result is not None:
            known[stones] = Fraction(result == 2 * side - 1)
        elif rules.mover(stones) == side + 1:
            weights = {move: weight for move, weight in policy[stones].items() if weight}
            total = sum(weights.values())
            known[stones] = (
                sum(
                    (w * _loss_chance(rules, policy, side, rules.play(stones, m), known))
                    for m, w in weights.items()
                )
                / total
            )
        else:
            known[stones] = max(
                _loss_chance(rules, policy, side, rules.play(stones, m), known)
                for m in rules.moves(stones)
            )
    return known[stones]


class Table:
    """A Python player that takes a fixed move in every position."""

    deterministic = True

    def __init__(self, case: Case) -> None:
        self.name, self.case, self.chosen = "table", case, dict[Stones, int]()

    def move(self, position: Position) -> int:
        """The move of the table."""
        stones = position.stones
        if stones not in self.chosen:
            self.chosen[stones] = self.case.random.choice(self.case.rules.moves(stones))
        return self.chosen[stones]


def check_table(case: Case) -> None:
    """The certificate of a Python player, and of a search player against anyone."""
    if case.plies is None or len(case.going_on) > 800:
        raise Skipped
    game, player = game_of(case.name), Table(case)
    certificate = inarow.certify(player, game)
    policy = {stones: {player.chosen[stones]: Fraction(1)} for stones in case.going_on}
    for side, name in enumerate(SIDES):
        _check_certificate(case, policy, side, certificate.sides[name], "a table")


def check_anyone(case: Case) -> None:
    """Every game of a compiled player against anyone."""
    if case.plies is None:
        raise Skipped
    rules, policies = case.rules, _policies(case)
    name = case.random.choice([n for n in sorted(policies) if not n.startswith("perfect")])
    found = inarow.certify_against_anyone(name, game_of(case.name))
    for side, word in enumerate(SIDES):
        ours, sign = found.sides[word], 1 - 2 * side
        may = {
            stones: [m for m, w in policies[name][stones].items() if w]
            for stones in case.going_on
            if rules.mover(stones) == side + 1
        }
        met, results = {rules.empty}, set[int]()
        for ply in case.plies:
            for stones in ply:
                if stones in met:
                    result = rules.result(stones)
                    if result is not None:
                        results.add(sign * result)
                    met |= {rules.play(stones, m) for m in may.get(stones, rules.moves(stones))}
        plain = "can lose" if -1 in results else "never loses" if 0 in results else None
        same(f"{name} as {word} against anyone", ours.result, plain or "wins every game")
        own = len(met & set(may))
        if ours.every_game.mirrored:
            flipped = np.flip(np.arange(rules.cells).reshape(rules.shape), -1).reshape(-1).tolist()
            if not (rules.gravity and len(rules.shape) == 1):
                rows = [list(range(rules.cells)), flipped]
                own = len({_lowest(stones, rows) for stones in met & set(may)})
        same(f"positions of {name} as {word} against anyone", ours.every_game.positions, own)
        for end, value in (("lost", -1), ("drawn", 0)):
            moves = getattr(ours.every_game, f"{end}_game")
            same(f"{name} as {word}: a game {end}", moves is not None, value in results)
            if moves is not None:
                _follows(rules, list(moves), may, f"{name}: {moves}")
                same(f"{name}: end of {moves}", rules.result(case.after(list(moves))), sign * value)


# The command line


def check_command(case: Case) -> None:
    """Commands `solve` and `analyse` with a budget cut somewhere, in this warm process."""
    moves = case.late_moves()
    parts = [partial(_check_solve, case, moves, _inside)]
    if len(moves) < 12:
        parts.append(partial(_check_analyse, case, moves, _inside))
    each(*parts)


def check_cold_command(case: Case) -> None:
    """The same commands in a process of their own, with nothing compiled, then compiled."""
    moves = case.late_moves()
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "NUMBA_CACHE_DIR": folder}

        def outside(words: list[str]) -> str:
            command = [sys.executable, "-m", "inarow", *words]
            done = subprocess.run(command, env=environment, capture_output=True, text=True)
            return _answer_of(words, done.returncode, done.stdout, done.stderr)

        checks = [case.random.choice((_check_solve, _check_analyse)) for _ in range(2)]
        each(*(partial(check, case, moves, outside) for check in checks))


def _inside(words: list[str]) -> str:
    from inarow.ui.main import main

    out, error, before = io.StringIO(), io.StringIO(), sys.argv
    code: object = 0
    try:
        sys.argv = ["inarow", *words]
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
            main()
    except SystemExit as ended:
        code = ended.code
    finally:
        sys.argv = before
    return _answer_of(words, code, out.getvalue(), error.getvalue())


def _answer_of(words: list[str], code: object, out: str, error: str) -> str:
    refused = "give a number of seconds" in error
    holds(f"inarow {' '.join(words)} ended with {code}: {error}", refused or not code)
    return "" if refused else out


def _budget(case: Case, kinds: tuple[str, ...]) -> list[str]:
    kind = case.random.choice(kinds)
    value = case.random.choice((1, 2, 4, 9, 30, 150)) if kind == "--nodes" else (
        round(10 ** case.random.uniform(-5, 0), 6))  # fmt: skip
    return [kind, f"{value:f}".rstrip("0").rstrip(".") if kind == "--seconds" else str(value)]


def _check_solve(case: Case, moves: list[int], ask: Callable[[list[str]], str]) -> None:
    game, stones = game_of(case.name), case.after(moves)
    words = ["solve", case.name, moves_text(game, moves), "--json"]
    words += _budget(case, ("--seconds", "--nodes"))
    if not (text := ask(words)):
        raise Skipped
    answer, where = json.loads(text), f"by inarow {' '.join(words[:2])} '{words[2]}' {words[4:]}"
    ends = {move_text(game, m): _end_of_move(case, stones, m) for m in case.rules.moves(stones)}
    same(f"moves {where}", sorted(answer["moves"]), sorted(ends))
    for move, said in answer["moves"].items():
        _true(_bounds(said), ends[move], f"of {move} {where}")
    best = case.rules.best(stones)[0]
    _true(_bounds(answer), _end_of_move(case, stones, best[0]), where)
    good = best if answer["stones"] is not None else case.rules.keeping(stones)
    texts = [move_text(game, move) for move in good]
    holds(f"best {answer['best']} {where}, not {texts}", set(answer["best"]) <= set(texts))


def _check_analyse(case: Case, moves: list[int], ask: Callable[[list[str]], str]) -> None:
    """Positions of the game whose brute force takes long are left out."""
    game = game_of(case.name)
    words = [
        "analyse",
        case.name,
        moves_text(game, moves),
        "--json",
        *_budget(case, ("--seconds",)),
    ]
    if not moves or not (text := ask(words)):
        raise Skipped
    answer, where = json.loads(text), f"by inarow {' '.join(words[:2])} '{words[2]}' {words[4:]}"
    stones = case.rules.empty
    for move, said in zip(moves, answer["moves"], strict=True):
        if case.plies is not None or stones.count(0) <= 8:
            best = case.rules.best(stones)[0]
            ends = _end_of_move(case, stones, move), _end_of_move(case, stones, best[0])
            _true(_bounds(said), ends[0], f"of ply {said['ply']} {where}")
            _true(_bounds(said["best"]), ends[1], f"of the best of ply {said['ply']} {where}")
            holds(f"cost {said['cost']} of ply {said['ply']} {where}",
                  (said["cost"] or 0) <= ends[1][0] - ends[0][0])  # fmt: skip
            if said["mark"] == "?!":
                holds(f"?! at ply {said['ply']} {where}",
                      ends[0][0] == ends[1][0] and ends[0] != ends[1])  # fmt: skip
        stones = case.rules.play(stones, move)
    if (ahead := answer["ahead"]) is not None:
        best = case.rules.best(stones)[0]
        _true(_bounds(ahead), _end_of_move(case, stones, best[0]), f"ahead {where}")


def _bounds(said: dict[str, Any]) -> Bounds:
    return Bounds(said["low"], said["high"], said["stones"])


CHECKS: dict[str, tuple[Callable[[Case], None], float]] = {
    "rules": (check_rules, 1.0),
    "playouts": (check_playouts, 0.3),
    "adapters": (check_adapters, 0.3),
    "counts": (check_counts, 0.6),
    "solving": (check_solving, 1.0),
    "bounds": (check_bounds, 1.0),
    "book": (check_book, 0.3),
    "odds": (check_odds, 0.4),
    "weights": (check_weights, 0.3),
    "table": (check_table, 0.3),
    "anyone": (check_anyone, 0.3),
    "command": (check_command, 0.5),
    "cold command": (check_cold_command, 0.004),
}
"""By name: the check, and the share of cases that it is asked of."""
EVERY = range(50, 53)  # cases of which each check is asked: none is left to chance alone


def disagreements(
    case: Case, only: str | None = None, counts: Counter[tuple[str, str]] | None = None
) -> Iterator[str]:
    """What the package says otherwise than brute force of a case.

    `counts` gets, by name, whether a check was "asked" or "skipped".
    """
    counts = Counter() if counts is None else counts
    for name, (check, share) in CHECKS.items():
        drawn = case.random.random() < share or case.number in EVERY
        if (only or name) != name or not (drawn or only):
            continue
        case.random.seed(f"{case.seed} {case.number} {name}")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                check(case)
        except (Skipped, TooLarge):
            counts[name, "skipped"] += 1
            continue
        except Disagreement as found:
            yield f"{name} of {case.name}: {found}"
        except Exception as error:  # a traceback is a finding, too
            yield f"{name} of {case.name}: {type(error).__name__}: {error}"
        counts[name, "asked"] += 1
