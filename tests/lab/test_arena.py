"""Round robins: everybody meets everybody once, and the table reads the same from both sides."""

import itertools
import json

import pytest

import inarow
from inarow.engine import play_games
from inarow.engine import players as contest
from inarow.game import InputError
from inarow.lab.matches.arena import arena, rounds
from inarow.lab.matches.match import Tally, match

FIELD = ["random", "attack", "defense", "advanced"]


class First:
    """A player of Python."""

    name = "lowest"

    def move(self, position):
        """The lowest there is."""
        return position.legal_moves[0]


def test_everybody_meets_everybody():
    told: list[int] = []
    result = arena("tictactoe", FIELD, 400, seed=3, progress=told.append)
    assert list(result.matches) == list(itertools.combinations(FIELD, 2))
    assert all(one.total.games == 400 for one in result.matches.values())
    assert sum(told) == 6 * 400
    assert (result.games, result.seed, result.players) == (400, 3, tuple(FIELD))
    for name in FIELD:
        assert result.total(name).games == 3 * 400


def test_the_crosstable_is_the_same_from_both_sides():
    result = arena("ntictactoe:3^3", FIELD, 200, seed=4)
    for one, other in itertools.permutations(FIELD, 2):
        mine, theirs = result.tally(one, other), result.tally(other, one)
        assert (mine.wins, mine.draws, mine.losses) == (theirs.losses, theirs.draws, theirs.wins)
        assert (mine.lines_for, mine.lines_against) == (theirs.lines_against, theirs.lines_for)
        assert (mine.plies, mine.different) == (theirs.plies, theirs.different)
        assert mine.score + theirs.score == pytest.approx(1)
    totals = [result.total(name) for name in FIELD]
    assert sum(tally.wins for tally in totals) == sum(tally.losses for tally in totals)
    answer = result.as_json()
    assert set(answer["crosstable"]) == set(FIELD)
    for one, row in answer["crosstable"].items():
        assert set(row) == set(FIELD) - {one}
        for other in row:
            assert row[other] == result.tally(one, other).as_json()


def test_the_ranking_goes_down():
    result = arena("tictactoe", FIELD, 4000, seed=1)
    assert result.ranking[0] == "advanced"
    assert result.ranking[-1] == "random"
    ratings = [result.ratings[name].rating for name in result.ranking]
    assert ratings == sorted(ratings, reverse=True)
    assert sum(ratings) == pytest.approx(0, abs=1e-6)
    assert [row["player"] for row in result.as_json()["ranking"]] == result.ranking
    for row in result.as_json()["ranking"]:
        assert row["low"] < row["rating"] < row["high"]
        assert row["score"] == result.total(row["player"]).score


def test_the_order_of_names_does_not_turn_a_result_round():
    """Attack beats random, whichever of them is named first."""
    for names in (["attack", "random"], ["random", "attack"]):
        result = arena("tictactoe", names, 2000, seed=2)
        assert result.tally("attack", "random").score > 0.55
        assert result.ranking == ["attack", "random"]


def test_the_same_seed_is_the_same_arena():
    one, other = (arena("connect4:4x4", FIELD, 100, seed=5) for _ in range(2))
    assert one.as_json() == other.as_json()
    assert arena("connect4:4x4", FIELD, 100, seed=6).as_json() != one.as_json()


def test_every_pairing_has_numbers_of_its_own():
    result = arena("tictactoe", ["random", "advanced", "advanced@random"], 2000, seed=1)
    one, other, _ = result.matches.values()
    assert one.total != other.total
    assert one.seed != other.seed
    again = match("tictactoe", "random", "advanced", 2000, one.seed)
    assert again == one


def test_players_of_python_take_part():
    result = arena("tictactoe", [First(), "random", "attack"], 20, seed=1)
    assert result.players == ("lowest", "random", "attack")
    assert result.total("lowest").games == 40


@pytest.mark.parametrize(
    ("players", "games", "seed", "message"),
    [
        ([], 10, 0, "at least 2 players, not 0"),
        (["random"], 10, 0, "at least 2 players, not 1"),
        (["random", "attack", "random"], 10, 0, "player 'random' is named twice"),
        (["random", "nobody"], 10, 0, "unknown player 'nobody'"),
        (["random", "attack"], 0, 0, "the number of games must be between 1 and"),
        (["random", "attack"], 10, -1, "seed -1 is negative"),
    ],
)
def test_bad_arenas_get_one_clear_line(players, games, seed, message):
    with pytest.raises(InputError, match=message) as caught:
        arena("tictactoe", players, games, seed)
    assert len(str(caught.value).splitlines()) == 1


def test_match_by_match():
    so_far = list(rounds("tictactoe", FIELD, 100, seed=3))
    for result in so_far:  # also where somebody has not played yet
        assert repr(result)
        json.dumps(result.as_json(), allow_nan=False)
    assert Tally().as_json()["score"] is None
    assert [len(result.matches) for result in so_far] == [1, 2, 3, 4, 5, 6]
    assert so_far[-1] == arena("tictactoe", FIELD, 100, seed=3)
    start = so_far[0]
    assert start.tally("random", "attack").games == 100
    assert start.tally("defense", "advanced").games == 0
    assert start.total("defense").games == 0
    assert start.ratings["defense"].rating == pytest.approx(0)
    assert start.ratings["attack"].rating > start.ratings["random"].rating


def test_a_kind_of_player_is_compiled_once_and_not_for_everybody_it_meets():
    """An arena of nine kinds compiled a loop for every pair of them."""
    learned = inarow.train("tictactoe", "td", against="random", games=10, seed=1).agent
    arena("tictactoe", ["minimax:1", "attack"], games=2)
    arena("tictactoe", [learned, "attack", "defense"], games=2)
    kinds, loops = list(contest._enter.overloads), list(play_games._play_games.overloads)
    assert len(loops) == 2  # two players by rules, and two of any kinds
    result = arena("tictactoe", ["minimax:2", learned, "combined", "random"], games=2)
    assert len(result.matches) == 6
    assert list(contest._enter.overloads) == kinds
    assert list(play_games._play_games.overloads) == loops
