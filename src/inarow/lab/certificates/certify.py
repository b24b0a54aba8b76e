"""Certificates: what can be proven of any player, in whatever game.

Where the game is small enough to be a graph everything is proven, by `graph.certificate`, if it is
known what the player may choose (`observe`); where the solver reaches, it is the judge
(`against_perfect`); elsewhere a search may still find a game that beats the player (`refute`).
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict, dataclass, replace

from inarow.engine.rules import RuleList
from inarow.game import Game, InputError
from inarow.game.position import SIDES
from inarow.game.progress import Progress, mute
from inarow.game.report import HasReport, Report
from inarow.graph.best_response import best_responses
from inarow.graph.certificate import SideProof, certify_side
from inarow.graph.graph import Graph, graph_of
from inarow.graph.odds import Odds, Policy, mean_odds, mean_of
from inarow.graph.policies import rule_policies
from inarow.lab.certificates.by_solver import (
    LateMistakes,
    Refutations,
    SolverCertificate,
    certify_by_solver,
    judge_late,
    refute,
)
from inarow.lab.players.names import player, rule_players_for
from inarow.lab.players.policies import DECLARED, Basis, known_policies
from inarow.lab.players.protocols import AnyPlayer, check_plays, game_to_certify, name_of
from inarow.lab.progress import shown
from inarow.search.solver import is_planar

MAX_GRAPH_CELLS = 20  # larger boards are not tried as a graph
ENDS = ("win", "draw", "loss")


@dataclass(frozen=True, repr=False)
class GraphCertificate(HasReport):
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
        """Return whether the player can be beaten on a side, in words."""
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

    def side_details(self, name: str) -> list[str]:
        """How often it gives value away on a side, in words: likewise."""
        side = self.sides[name]
        won = f"{side.won_met:,} won positions"
        throws = f"may throw away {side.thrown_away:,} of {won}"
        kept = f"wins all {won}" if side.converts else throws
        subject = "It" if self.proven else "As observed, it"
        details = [
            f"{subject} {kept} that its play can meet;",
            f"it gives value away in {side.mistakes_met:,} of {side.met:,} positions met, "
            f"{side.mistakes:,} of all {side.positions:,}.",
        ]
        if side.mistakes:
            details.append(f"The first such position is after {side.mistake or 'no move'}.")
        return details

    def _share_text(self, share: float) -> str:
        text = f"{100 * share:.2f}%" if share >= 0.00005 else "less than 0.01%"
        if self.variants > 1:
            return f"best responses to its {self.variants} variants beat it in {text}"
        return f"a best response beats it in {text}"

    @property
    def own_odds(self) -> dict[str, dict[str, dict[str, float]]]:
        """Return by opponent and side how often the player wins, draws and loses."""
        return {
            name: {
                side: dict(zip(ENDS, _own(side, result), strict=True))
                for side, result in sides.items()
            }
            for name, sides in self.odds.items()
        }

    @property
    def exploitability_text(self) -> str:
        """Return the exploitability in words; nothing where it is not known."""
        if self.exploitability is None:
            return ""
        shown = f"{self.exploitability:.4f}" if self.exploitability else "0"
        return f"Exploitability: {shown} (0 is perfect play, 1 loses every game)."

    def report(self) -> Report:
        """Return the report."""
        title = f"{self.player} in {self.game.name}: {self.basis.text}"
        rows = [
            (opponent, *(f"{100 * sides[side][end]:.1f}%" for side in SIDES for end in ENDS))
            for opponent, sides in self.own_odds.items()
        ]
        head = ("against", "first: win", "draw", "loss", "second: win", "draw", "loss")
        notes = [f"As {side}: {self.side_text(side)}" for side in SIDES]
        return Report(title, head, rows, [*notes, self.exploitability_text])

    def as_json(self) -> dict[str, object]:
        """Return the result as JSON data."""
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
    """Return win, draw and loss of the player on the side."""
    ends = [float(result.first), float(result.draw), float(result.second)]
    return ends if side == "first" else ends[::-1]


def certify_on_graph(
    some_player: AnyPlayer, game: Game, progress: Progress = mute
) -> GraphCertificate:
    """Prove all there is to prove of a player of a small game, or say what was observed."""
    check_plays(some_player, game)
    graph = graph_of(game)
    policies, basis = known_policies(some_player, graph, progress)
    sides = {name: certify_side(graph, policies, side) for side, name in enumerate(SIDES)}
    if not basis.proven:
        sides = {name: replace(side, unbeatable=None) for name, side in sides.items()}
    against = _odds_against_all(graph, policies)
    certain = basis.proven and len(policies) == 1
    gain = float(best_responses(graph, policies[0]).exploitability) if certain else None
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
    """Prove what can be proven about a player; a saved agent knows its game.

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
        if is_planar(chosen):
            return certify_by_solver(some_player, chosen, positions, games, seed, show)
        return refute(some_player, chosen, seed)
