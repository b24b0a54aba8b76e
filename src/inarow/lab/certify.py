"""Certificates: what can be proven of any player, in whatever game.

Where the game is small enough to be a graph everything is proven, by `graph.certificate`, if it is
known what the player may choose (`observe`); where the solver reaches, it is the judge
(`against_perfect`); elsewhere a search may still find a game that beats the player (`refute`).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace

import numpy as np

from inarow.engine.rules import RuleList
from inarow.engine.tables import tables_of
from inarow.game import Game, InputError
from inarow.game.report import Report, Reported
from inarow.graph.certificate import SideProof, certify_side
from inarow.graph.exploitability import answer_to
from inarow.graph.graph import Graph, graph_of
from inarow.graph.odds import Odds, Policy, mean_odds, mean_of
from inarow.graph.policies import compiled_policy, rule_policies
from inarow.lab.against_perfect import SolverCertificate, certify_by_solver
from inarow.lab.late_mistakes import LateMistakes, judge_late
from inarow.lab.observe import DECLARED, STATED, Basis, check_stated, observe
from inarow.lab.player_protocols import (
    AnyPlayer,
    GraphPlayer,
    check_plays,
    game_to_certify,
    name_of,
    states_policy,
)
from inarow.lab.players import RulePlayerByName, player, rule_players_for
from inarow.lab.progress import shown
from inarow.lab.refute import Refutations, refute
from inarow.learn.tabular.agent import TabularAgent
from inarow.search import bitboard
from inarow.search.perfect import Perfect

MAX_GRAPH_CELLS = 20  # larger boards are not tried as a graph
SIDES = ("first", "second")
ENDS = ("win", "draw", "loss")
Progress = Callable[[float], None]  # called with the share of the work that is done


@dataclass(frozen=True, repr=False)
class GraphCertificate(Reported):
    """What is proven of a player of a small game, or what was observed."""

    game: Game
    player: str
    basis: Basis  # how it is known what the player may choose
    variants: int  # policies of which it draws one for each game
    sides: dict[str, SideProof]  # as first, as second
    odds: dict[str, dict[str, Odds]]  # against each rule player, by the side of the one certified
    exploitability: float | None  # None where its policy is not known, or is one of several

    @property
    def proven(self) -> bool:
        """Whether this is a proof. If not, it says what was observed."""
        return self.basis.proven

    @property
    def unbeatable(self) -> bool | None:
        """Whether no opponent can beat it in either side, whatever random choices it makes.

        None where that is not proven: then `not_beaten_in_observation` says what was seen.
        """
        return all(side.unbeatable for side in self.sides.values()) if self.proven else None

    @property
    def not_beaten_in_observation(self) -> bool | None:
        """Whether no line beats the answers that were observed; None where there is a proof."""
        found = all(side.refutation is None for side in self.sides.values())
        return None if self.proven else found

    def side_text(self, name: str) -> str:
        """Whether it can be beaten on a side, in words: the same for the terminal and the page."""
        side = self.sides[name]
        if not self.proven:
            if side.refutation is None:
                return "not beaten in this observation, which is no proof."
            return f"beaten by {side.refutation} if it answers as observed."
        if side.refutation is not None:
            return f"beaten by {side.refutation}; {self._share_text(side.loss_chance)} of games."
        if self.basis.kind == DECLARED:
            return "unbeatable if it is deterministic, as its author declares."
        whose = "it, whatever random choices it makes"
        if self.basis.positions:
            whose = "the policy that it states, whatever random choices it makes"
        return f"unbeatable: no opponent can beat {whose}."

    def _share_text(self, share: float) -> str:
        text = f"{100 * share:.2f}%" if share >= 0.00005 else "less than 0.01%"
        if self.variants > 1:
            return f"best responses to its {self.variants} variants beat it in {text}"
        return f"a best response beats it in {text}"

    @property
    def own_odds(self) -> dict[str, dict[str, dict[str, float]]]:
        """By opponent and side, how often the player wins, draws and loses."""
        return {
            name: {
                side: dict(zip(ENDS, _own(side, result), strict=True))
                for side, result in sides.items()
            }
            for name, sides in self.odds.items()
        }

    @property
    def exploitability_text(self) -> str:
        """In words; nothing where it is not known."""
        if self.exploitability is None:
            return ""
        shown = f"{self.exploitability:.4f}" if self.exploitability else "0"
        return f"Exploitability: {shown} (0 is perfect play, 1 loses every game)."

    def report(self) -> Report:
        """What is shown of it."""
        title = f"{self.player} in {self.game.name}: {self.basis.text}"
        rows = [
            (opponent, *(f"{100 * sides[side][end]:.1f}%" for side in SIDES for end in ENDS))
            for opponent, sides in self.own_odds.items()
        ]
        head = ("against", "first: win", "draw", "loss", "second: win", "draw", "loss")
        notes = [f"As {side}: {self.side_text(side)}" for side in SIDES]
        return Report(title, head, rows, [*notes, self.exploitability_text])

    def as_json(self) -> dict[str, object]:
        """For programs."""
        return {
            "game": self.game.name,
            "player": self.player,
            **self.basis.as_json(),
            "unbeatable": self.unbeatable,
            "not_beaten_in_observation": self.not_beaten_in_observation,
            "variants": self.variants,
            "exploitability": self.exploitability,
            "sides": {
                name: {**asdict(side), "converts": side.converts}
                for name, side in self.sides.items()
            },
            "odds": self.own_odds,
        }


def _own(side: str, result: Odds) -> list[float]:
    """Win, draw and loss of the one in the side."""
    ends = [float(result.first), float(result.draw), float(result.second)]
    return ends if side == "first" else ends[::-1]


def certify_on_graph(
    some_player: AnyPlayer, game: Game, progress: Progress = lambda share: None
) -> GraphCertificate:
    """Proves all there is to prove of a player of a small game, or says what was observed."""
    check_plays(some_player, game)
    graph = graph_of(game)
    policies, basis = known_policies(some_player, graph, progress)
    sides = {name: certify_side(graph, policies, side) for side, name in enumerate(SIDES)}
    if not basis.proven:
        sides = {name: replace(side, unbeatable=None) for name, side in sides.items()}
    against = _odds_against_all(graph, policies)
    certain = basis.proven and len(policies) == 1
    gain = float(answer_to(graph, policies[0]).exploitability) if certain else None
    return GraphCertificate(game, name_of(some_player), basis, len(policies), sides, against, gain)


def _odds_against_all(graph: Graph, policies: list[Policy]) -> dict[str, dict[str, Odds]]:
    """The odds against each rule player: the mean, where either of them draws one of several."""
    known: dict[RuleList, dict[str, Odds]] = {}  # a variant may be a player of its own, too
    against = {}
    for name, entry in rule_players_for(graph.game).items():
        variants = [RuleList((rules,), entry.rules.scan) for rules in entry.rules.variants]
        for rules in variants:
            if rules not in known:
                (other,) = rule_policies(graph, rules)
                known[rules] = {
                    "first": mean_odds(graph, policies, [other]),
                    "second": mean_odds(graph, [other], policies),
                }
        against[name] = {
            side: mean_of([known[rules][side] for rules in variants]) for side in SIDES
        }
    return against


def known_policies(
    some_player: AnyPlayer, graph: Graph, progress: Progress = lambda share: None
) -> tuple[list[Policy], Basis]:
    """A player as policies of a graph, and how they are known.

    Compiled players and perfect play say every move they may choose and how likely it is. What a
    Python object says of itself, or what it answers, is held against its answers.
    """
    # What is made of these by others may do something else.
    if type(some_player) is RulePlayerByName:
        return rule_policies(graph, some_player.rules), Basis(STATED)
    if type(some_player) is TabularAgent or type(some_player) is Perfect:
        return some_player.policies(graph), Basis(STATED)
    if states_policy(some_player):
        arrays = some_player.compiled(tables_of(graph.game))
        return [compiled_policy(graph, arrays, progress)], Basis(STATED)
    if isinstance(some_player, GraphPlayer):
        policies = [np.asarray(policy, np.float64) for policy in some_player.policies(graph)]
        return policies, check_stated(some_player, graph, policies, progress)
    policy, basis = observe(some_player, graph, progress)
    return [policy], basis


def policies_of(some_player: AnyPlayer, graph: Graph) -> list[Policy]:
    """A player as policies of a graph; one that was only observed is refused."""
    policies, basis = known_policies(some_player, graph)
    if not basis.proven:
        raise InputError(
            f"{name_of(some_player)} says neither its policy nor that it is deterministic: "
            "nothing exact follows from its answers"
        )
    return policies


def _is_graph(game: Game) -> bool:
    with suppress(InputError):
        return bool(graph_of(game))
    return False


Certificate = GraphCertificate | SolverCertificate | Refutations | LateMistakes


def certify(
    some_player: str | AnyPlayer,
    game: str | Game | None = None,
    positions: int = 20,
    games: int = 40,
    seed: int = 0,
    progress: Progress | None = None,
    from_stones: int | None = None,
) -> Certificate:
    """What can be proven about a player; a saved agent knows its game.

    For a small game the result is a proof. Where the solver can judge, the player is measured on
    `positions` seeded positions of each number of stones and in `games` games against perfect
    play. Elsewhere nothing can be proven, and a search looks for a game that beats the player.
    With `from_stones` the solver judges only its moves from that many stones on, in `positions`
    games of the player against itself, for example on the cube.
    """
    some_player = player(some_player)
    chosen = game_to_certify(some_player, game)
    with shown(progress, "proving", 1.0, steps=False) as show:
        if from_stones is not None:
            return judge_late(some_player, chosen, from_stones, positions, seed, show)
        if chosen.cells <= MAX_GRAPH_CELLS and _is_graph(chosen):
            return certify_on_graph(some_player, chosen, show)
        if bitboard.fits(chosen):
            return certify_by_solver(some_player, chosen, positions, games, seed, show)
        return refute(some_player, chosen, seed)
