"""Certificates of any player: proven on graphs, measured by the solver, searched elsewhere."""

from __future__ import annotations

import json
from functools import cache

import pytest

from inarow.game import InputError, Position
from inarow.game import game as make_game
from inarow.game.position import SIDES
from inarow.graph.certificate import certify_side
from inarow.graph.graph import graph_of
from inarow.graph.policies import expert_policy, rule_policies
from inarow.lab.certificates import by_solver
from inarow.lab.certificates.best_response import exact_odds
from inarow.lab.certificates.by_solver import Refutations, SolverCertificate, random_positions
from inarow.lab.certificates.certify import GraphCertificate, certify
from inarow.lab.players.names import RULE_PLAYERS, player, rule_players_for
from inarow.lab.statistics import wilson
from inarow.search.minimax import Minimax
from inarow.search.perfect import Perfect
from inarow.search.solver import Solver

game = cache(make_game)
TESTERS = set(rule_players_for(make_game("tictactoe")))
PARTS = ["attack", "defense", "attack-defense", "defense-attack"]  # of the combined player


class Wrapped:
    """Another player's moves, asked for one by one, as numbers or as text."""

    deterministic = True

    def __init__(self, inner, *, text: bool = False) -> None:
        self.inner, self.text = inner, text

    def move(self, position: Position) -> int | str:
        """What the other player answers."""
        move = self.inner.move(position)
        return f"{move // 3 + 1}{move % 3 + 1}" if self.text else move


class Stubborn:
    """Always the same move."""

    name = "stubborn"

    def move(self, position):
        """The first column or cell, taken or not."""
        return 0 * position.ply


# Proven


def test_who_can_be_beaten_on_one_side_is_not_unbeatable():
    class Half:
        deterministic = True

        def move(self, position):
            """As first the best move, as second the first one."""
            if position.ply % 2:
                return position.legal_moves[0]
            return Perfect("first").move(position)

    certificate = certify(Half(), "tictactoe")
    assert [certificate.sides[side].unbeatable for side in SIDES] == [True, False]
    assert certificate.unbeatable is False


@pytest.mark.parametrize("name", RULE_PLAYERS)
def test_a_rule_player_is_its_policies(name):
    certificate, graph = certify(name, "tictactoe"), graph_of(game("tictactoe"))
    policies = rule_policies(graph, RULE_PLAYERS[name].rules)
    assert isinstance(certificate, GraphCertificate)
    assert (certificate.game, certificate.player) == (graph.game, name)
    expected = {side: certify_side(graph, policies, i) for i, side in enumerate(SIDES)}
    assert certificate.sides == expected
    assert certificate.unbeatable == all(side.unbeatable for side in expected.values())


@pytest.mark.parametrize("choice", ["best", "first", "value"])
def test_perfect_play_is_proven_perfect(choice):
    for name in ("tictactoe", "connect4:4x4", "board:3x3,gravity,scoring"):
        certificate = certify(Perfect(choice), name)
        graph = graph_of(game(name))
        policies = Perfect(choice).policies(graph)
        for number, side in enumerate(SIDES):
            assert certificate.sides[side] == certify_side(graph, policies, number)
            assert certificate.sides[side].mistakes == 0
            assert certificate.sides[side].converts
        assert certificate.unbeatable == (name != "board:3x3,gravity,scoring" or drawn(name))


def drawn(name: str) -> bool:
    """Whether neither side can win a game, by the expert's own games."""
    graph = graph_of(game(name))
    return all(certify_side(graph, [expert_policy(graph)], side).unbeatable for side in (0, 1))


def test_a_player_in_python_is_asked_everywhere():
    assert certify(Wrapped(Perfect("first")), "tictactoe").sides == (
        certify("perfect@first", "tictactoe").sides
    )
    for depth in (1, 2):
        by_loop = certify(f"minimax:{depth}", "tictactoe")
        assert sum(side.mistakes for side in by_loop.sides.values()) > 0
        assert by_loop.player == f"minimax:{depth}"
        one_by_one = certify(Wrapped(Minimax(depth), text=depth == 2), "tictactoe")
        assert one_by_one.player == "Wrapped"
        assert (one_by_one.sides, one_by_one.odds) == (by_loop.sides, by_loop.odds)


def test_a_search_to_the_end_is_unbeatable():
    certificate = certify("minimax:9", "tictactoe")
    assert certificate.unbeatable
    assert all(side.mistakes == 0 for side in certificate.sides.values())


@pytest.mark.parametrize(
    ("name", "one", "others"),
    [
        ("board:3x3,gravity", "random", list(TESTERS)),
        ("board:3x3,gravity", "combined", ["combined", "benchmark", "attack"]),
        ("board:3x3,gravity", "attack@random", ["greedy-lines", "combined"]),
        ("board:2x4,k=2,scoring", "defense-attack", ["random", "benchmark", "attack"]),
        ("tictactoe", "attack-defense", ["random", "advanced"]),
    ],
)
def test_odds_are_the_exact_ones(name, one, others):
    odds = certify(one, name).odds
    assert set(odds) == TESTERS
    for other in others:
        for side, pair in (("first", (one, other)), ("second", (other, one))):
            exact, found = exact_odds(name, *pair), odds[other][side]
            for end in ("first", "draw", "second"):
                assert getattr(found, end) == pytest.approx(float(getattr(exact, end)))


@pytest.mark.parametrize("name", ["tictactoe", "connect4:4x4"])
def test_combined_is_the_mean_of_four(name):
    whole = certify("combined", name)
    parts = [certify(part, name) for part in PARTS]
    benchmark = certify("benchmark", name)
    for side in SIDES:
        mean = sum(part.sides[side].loss_chance for part in parts) / 4
        assert whole.sides[side].loss_chance == pytest.approx(mean)
        for end in ("first", "draw", "second"):
            for other in TESTERS:
                mean = sum(getattr(part.odds[other][side], end) for part in parts) / 4
                assert getattr(whole.odds[other][side], end) == pytest.approx(mean)
            mean = sum(getattr(benchmark.odds[part][side], end) for part in PARTS) / 4
            assert getattr(benchmark.odds["combined"][side], end) == pytest.approx(mean)


def test_a_proof_for_programs():
    certificate = certify("attack", "tictactoe")
    answer = json.loads(json.dumps(certificate.as_json()))
    assert set(answer) == {
        "game", "player", "proven", "basis", "unbeatable", "not_beaten_in_observation",
        "variants", "exploitability", "sides", "odds",
    }  # fmt: skip
    assert answer["basis"] == {"kind": "stated", "asked": 0, "positions": 0, "alike": 0}
    assert (answer["variants"], answer["not_beaten_in_observation"]) == (1, None)
    assert (answer["game"], answer["player"]) == ("tictactoe", "attack")
    assert (answer["proven"], answer["unbeatable"]) == (True, False)
    assert list(answer["sides"]) == list(answer["odds"]["random"]) == ["first", "second"]
    for name, side in answer["sides"].items():
        proven = certificate.sides[name]
        assert side == {**vars(proven), "converts": proven.converts}
    # The odds are told from the side of the one certified.
    for other, sides in answer["odds"].items():
        first, second = certificate.odds[other]["first"], certificate.odds[other]["second"]
        assert sides["first"] == {"win": first.first, "draw": first.draw, "loss": first.second}
        assert sides["second"] == {"win": second.second, "draw": second.draw, "loss": second.first}
    assert answer["odds"]["random"]["first"]["win"] > 0.7
    assert answer["odds"]["random"]["second"]["win"] > 0.5


def test_a_saved_agent_knows_its_game():
    knowing = player("minimax:2")
    knowing.game = "board:3x3,gravity"
    assert certify(knowing) == certify("minimax:2", "board:3x3,gravity")
    with pytest.raises(InputError, match="say in which game"):
        certify("attack")


def test_progress_is_told_up_to_the_whole():
    for asked in ("minimax:1", Wrapped(Minimax(1))):
        shares = list[float]()
        certify(asked, "tictactoe", progress=shares.append)
        assert shares == sorted(shares)
        assert shares[-1] == 1


@pytest.mark.parametrize(
    ("asked", "name", "message"),
    [
        (Stubborn(), "tictactoe", "player stubborn played an illegal move: cell 11 is taken"),
        (Stubborn(), "connect4:4x4", "player stubborn played an illegal move: column 1 is full"),
        ("nobody", "tictactoe", "unknown player 'nobody'"),
        ("random", "chess", "unknown game 'chess'"),
        ("attack@game", "tictactoe", "an order kept for a game is not a policy"),
        (7, "tictactoe", "7 is not a player"),
        ("random", "connect4:5x5", "measure on at least 1 position of each kind and 2 games"),
    ],
)
def test_what_is_wrong_is_one_line(asked, name, message):
    with pytest.raises(InputError) as caught:
        certify(asked, name, positions=0)
    assert str(caught.value).startswith(message)
    assert len(str(caught.value).splitlines()) == 1


def test_an_illegal_move_in_a_larger_game_is_one_line_too():
    with pytest.raises(InputError, match="player stubborn played an illegal move: column 1 is"):
        certify(Stubborn(), "connect4:5x5", positions=2, games=2)


# Measured by the solver

MEASURED = "connect4:5x5"
TRAVERSED = "board:7x3,k=3,gravity"  # a draw of few lines of play, unlike the one above


@cache
def measured(name: str, seed: int = 1, board: str = MEASURED) -> SolverCertificate:
    """A small certificate, made once."""
    certificate = certify(name, board, positions=3, games=5, seed=seed)
    assert isinstance(certificate, SolverCertificate)
    return certificate


def test_mistakes_are_those_that_the_solver_sees():
    certificate, solver = measured("minimax:2"), Solver(MEASURED)
    assert (certificate.game, certificate.player) == (game(MEASURED), "minimax:2")
    assert [rate.stones for rate in certificate.rates] == [0, 4, 8, 12, 16, 20, 24]
    for rate in certificate.rates:
        positions = list(random_positions(game(MEASURED), rate.stones, 3 if rate.stones else 1, 1))
        mistakes = []
        for position in positions:
            assert (position.ply, position.outcome) == (rate.stones, None)
            solution = solver.solve(position)
            score = solution.moves[Minimax(2).move(position)]
            if (score > 0) - (score < 0) != solution.value:
                mistakes.append(position.notation)
        assert (rate.positions, rate.mistakes) == (len(positions), len(mistakes))
        assert rate.example == (mistakes[0] if mistakes else None)
    assert sum(rate.mistakes for rate in certificate.rates) > 0


@pytest.mark.parametrize("name", ["minimax:2", "perfect@first"])
def test_the_walk_ends_in_a_game_against_perfect_play(name):
    own = player(name)
    for side, traversals in measured(name, board=TRAVERSED).exact.items():
        number = SIDES.index(side)
        assert [traversal.replies for traversal in traversals] == ["best", "value"]
        for traversal in traversals:
            opponent, line = Perfect(traversal.replies), game(TRAVERSED).position(traversal.line)
            replayed = Position(game(TRAVERSED))
            for move in line.moves:
                own_turn = replayed.ply % 2 == number
                allowed = [own.move(replayed)] if own_turn else opponent.moves(replayed)
                assert move in allowed
                replayed.push(move)
            winner = line.outcome.winner
            result = "draw" if winner is None else "win" if winner == number + 1 else "loss"
            assert traversal.worst == result


@pytest.mark.parametrize("replies", ["best", "value"])
@pytest.mark.parametrize("side", [0, 1])
def test_nothing_worse_can_happen_than_the_walk_says(side, replies):
    own, opponent = Minimax(2), Perfect(replies)
    known: dict[tuple[int, ...], int] = {}

    def worst(position: Position) -> int:
        if position.outcome is not None:
            winner = position.outcome.winner
            return 0 if winner is None else 1 if winner == side + 1 else -1
        if position.stones not in known:
            own_turn = position.ply % 2 == side
            results = []
            for move in [own.move(position)] if own_turn else opponent.moves(position):
                reference = position.copy()
                reference.push(move)
                results.append(worst(reference))
            known[position.stones] = min(results)
        return known[position.stones]

    result = worst(Position(game(TRAVERSED)))
    traversals = {
        traversal.replies: traversal
        for traversal in measured("minimax:2", board=TRAVERSED).exact[SIDES[side]]
    }
    assert traversals[replies].worst == {1: "win", 0: "draw", -1: "loss"}[result]
    # More replies can only be worse for the player.
    order = ["loss", "draw", "win"]
    assert order.index(traversals["value"].worst) <= order.index(traversals["best"].worst)


def test_a_walk_too_long_is_given_up(monkeypatch):
    monkeypatch.setattr(by_solver, "MAX_TRAVERSAL", 5)
    traversal = by_solver.traverse_all(Perfect("first"), game(TRAVERSED), 0, "best")
    assert (traversal.worst, traversal.line) == (None, None)
    assert traversal.positions >= 5


@pytest.mark.parametrize("board", [MEASURED, TRAVERSED])
def test_games_against_perfect_play_add_up(board):
    certificate = measured("minimax:2", board=board)
    assert [tally.games for tally in certificate.sampled.values()] == [3, 2]
    for side, tally in certificate.sampled.items():
        assert tally.wins + tally.draws + tally.losses == tally.games
        # Either game is a draw, so nobody beats perfect play; and no sample is below the worst.
        assert tally.wins == 0
        best, _ = certificate.exact[side]
        assert best.worst in (None, "loss") or tally.losses == 0


@pytest.mark.parametrize(
    ("name", "board"), [("perfect", MEASURED), ("perfect", TRAVERSED), ("perfect@first", TRAVERSED)]
)
def test_perfect_play_makes_no_mistakes(name, board):
    certificate = measured(name, board=board)
    assert all((rate.mistakes, rate.example) == (0, None) for rate in certificate.rates)
    for tally in certificate.sampled.values():
        assert tally.draws == tally.games
    for traversals in certificate.exact.values():
        assert [traversal.worst for traversal in traversals] == ["draw", "draw"]


def test_only_players_that_draw_little_are_walked():
    for name in ("minimax:2", "perfect@first"):
        assert list(measured(name, board=TRAVERSED).exact) == list(SIDES)
    assert measured("random").exact == {}
    assert measured("perfect").exact == {}


def test_a_measurement_for_programs():
    answer = json.loads(json.dumps(measured("minimax:2").as_json()))
    assert set(answer) == {
        "game",
        "player",
        "proven",
        "measured",
        "seed",
        "mistakes",
        "against_perfect",
    }
    assert (answer["proven"], answer["measured"], answer["seed"]) == (False, "solver", 1)
    for rate in answer["mistakes"]:
        assert rate["rate"] == rate["mistakes"] / rate["positions"]
        assert tuple(rate["interval"]) == wilson(rate["mistakes"], rate["positions"])
    for result in answer["against_perfect"].values():
        assert set(result["exact"][0]) == {
            "replies", "worst", "line", "positions", "proven", "basis",
        }  # fmt: skip
        for traversal in result["exact"]:
            assert traversal["proven"] == (traversal["worst"] is not None)
            assert traversal["basis"]["kind"] == "stated"
        assert result["sampled"]["games"] in (2, 3)


def test_measurements_follow_the_seed():
    again = certify("random", MEASURED, positions=3, games=5, seed=1)
    assert again == measured("random")
    assert again is not measured("random")
    other = measured("random", seed=2)
    assert (other.rates, other.sampled) != (again.rates, again.sampled)


# Searched


@pytest.mark.parametrize("name", ["cube", "board:3x3x3,gravity", "connect4:9x12"])
@pytest.mark.parametrize("asked", ["random", "minimax:1"])
def test_where_nothing_is_provable_a_search_looks_for_a_lost_game(name, asked, monkeypatch):
    monkeypatch.setattr("inarow.lab.certificates.by_solver.DEPTHS", (2, 4))
    monkeypatch.setattr("inarow.lab.certificates.by_solver.TRIES", 2)
    certificate = certify(asked, name, seed=3)
    assert isinstance(certificate, Refutations)
    assert certificate.tried == 8
    for number, side in enumerate(SIDES):
        line = certificate.lines[side]
        assert line is not None or asked == "minimax:1"
        if line is not None:
            position = game(name).position(line)
            assert position.outcome is not None
            assert position.outcome.winner == 2 - number
    assert any(certificate.lines.values())
    answer = json.loads(json.dumps(certificate.as_json()))
    assert answer == {
        "game": name,
        "player": asked,
        "proven": False,
        "measured": "search",
        "seed": 3,
        "refutations": certificate.lines,
        "games_tried": 8,
    }
    assert certify(asked, name, seed=3) == certificate
    if asked == "random":
        assert certify(asked, name, seed=4).lines != certificate.lines


def test_no_game_lost_is_no_line(monkeypatch):
    monkeypatch.setattr("inarow.lab.certificates.by_solver.DEPTHS", (1,))
    monkeypatch.setattr("inarow.lab.certificates.by_solver.TRIES", 1)
    certificate = certify("minimax:4", "cube")
    assert certificate.lines == {"first": None, "second": None}
    assert certificate.tried == 2


def test_a_small_board_with_too_many_positions_is_not_provable(monkeypatch):
    monkeypatch.setattr("inarow.graph.graph.MAX_POSITIONS", 1000)
    certificate = certify("random", "mnk:4x4x3")
    assert certificate.as_json()["proven"] is False
