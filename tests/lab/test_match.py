"""Matches: both sides, nothing lost, the same from the same seed; bad players are named."""

import os
from functools import cache

import pytest

from inarow.game import InputError, Outcome, Position
from inarow.game import game as make_game
from inarow.lab.certificates.best_response import exact_odds
from inarow.lab.matches import match as matches
from inarow.lab.matches.arena import arena
from inarow.lab.matches.games import Openings, match_with
from inarow.lab.matches.match import MatchResult, Tally, chunk_size, match
from inarow.lab.players import names
from inarow.lab.players.names import RULE_PLAYERS, BoundPlayer, player
from tests.graph.plain import within

game = cache(make_game)


class Chooser:
    """A Python player made of a function from a position to a move."""

    def __init__(self, name, choose) -> None:
        self.name, self.choose = name, choose

    def move(self, position):
        """What the function says."""
        return self.choose(position)


def lowest() -> Chooser:
    return Chooser("lowest", lambda position: position.legal_moves[0])


def highest() -> Chooser:
    return Chooser("highest", lambda position: position.legal_moves[-1])


def check(result: MatchResult, games: int) -> None:
    """What every match keeps."""
    for tally in (result.as_first, result.as_second, result.total):
        assert tally.wins + tally.draws + tally.losses == tally.games
        assert 0 <= tally.different <= max(0, tally.games - 1)
        assert tally.games <= tally.plies <= tally.games * result.game.cells
        if not result.game.scoring:
            assert tally.lines_for >= tally.wins
            assert tally.lines_against >= tally.losses
            assert (tally.lines_for > 0) == (tally.wins > 0)
            assert (tally.lines_against > 0) == (tally.losses > 0)
        else:
            assert tally.plies == tally.games * result.game.cells
    assert result.total.games == games
    assert result.as_first.games == games - games // 2
    assert result.as_second.games == games // 2


@pytest.mark.parametrize("games", [1, 2, 3, 100, 4001])
@pytest.mark.parametrize("name", ["tictactoe", "connect4:4x4", "ntictactoe:3^3", "mnk:9x9x5"])
def test_every_game_is_counted_once(name, games):
    check(match(name, "advanced", "combined", games, seed=1), games)


@pytest.mark.parametrize("games", [1, 2, 7])
@pytest.mark.parametrize("name", ["tictactoe", "ntictactoe:3^3", "cube"])
def test_games_in_python_are_counted_alike(name, games):
    check(match(name, lowest(), "random", games, seed=1), games)


def test_one_game_has_one_seat():
    result = match("tictactoe", "random", "attack", 1)
    assert result.as_second == Tally()
    answer = result.as_json()
    assert "as_second" not in answer
    assert answer["as_first"]["games"] == answer["games"] == 1


@pytest.mark.parametrize("games", [0, -1, 10**12 + 1])
def test_numbers_of_games_that_do_not_work(games):
    with pytest.raises(InputError, match=f"must be between 1 and 1,000,000,000,000, not {games:,}"):
        match("tictactoe", "random", "random", games)


def test_a_negative_seed_is_refused():
    with pytest.raises(InputError, match="seed -3 is negative"):
        match("tictactoe", "random", "random", 10, seed=-3)
    with pytest.raises(InputError, match="seed -3 is negative"):
        match("tictactoe", lowest(), "random", 10, seed=-3)


@pytest.mark.parametrize("cores", [1, 3, None])
def test_the_same_seed_is_the_same_match_on_any_number_of_cores(monkeypatch, cores):
    monkeypatch.setattr(matches, "chunk_size", lambda game: 50)
    expected = match("tictactoe", "combined", "random@game", 1001, seed=5)
    monkeypatch.setattr(os, "cpu_count", lambda: cores)
    assert match("tictactoe", "combined", "random@game", 1001, seed=5) == expected
    assert match("tictactoe", "combined", "random@game", 1001, seed=6) != expected


def test_chunks_are_smaller_on_larger_boards(monkeypatch):
    monkeypatch.setattr(matches, "LOOK_SECONDS", 0.001)
    assert chunk_size(game("tictactoe")) > chunk_size(game("ntictactoe:3^7")) >= 16
    told: list[int] = []
    match("mnk:15x15x5", "random", "attack", 11_000, seed=1, progress=told.append)
    assert sum(told) == 11_000
    assert len(told) > 2
    told.clear()
    match("tictactoe", lowest(), "attack", 5, seed=1, progress=told.append)
    assert told == [1] * 5


@pytest.mark.parametrize("stepped", [False, True])
def test_no_two_streams_of_a_match_are_the_same(monkeypatch, stepped):
    """Each player on each side and chunk of games has one of its own."""
    named: list[tuple[int, ...]] = []
    make = matches.make_stream

    def record(seed: int, *path: int):
        named.append((seed, *path))
        return make(seed, *path)

    monkeypatch.setattr(matches, "make_stream", record)
    monkeypatch.setattr(matches, "chunk_size", lambda game: 10)
    one, other = player("random"), player("attack")
    if stepped:
        for swap in (0, 1):
            matches._play_in_python(
                game("tictactoe"),
                [one, other],
                matches._Length(5, 7, swap),
                lambda games: None,
                lambda position: None,
                matches._Counts(),
            )
    else:
        match("tictactoe", one, other, 60, seed=7)
        named.remove((7,))  # tried at the start, for an early word about a bad seed
    assert len(named) == len(set(named)) == (4 if stepped else 12)


# The result seen from the right side


@pytest.mark.parametrize("name", ["tictactoe", "ntictactoe:3^3"])
def test_a_match_seen_from_the_other_side(name):
    """Attack beats random: so it does in either place, and about as often."""
    one, other = match(name, "attack", "random", 20_000), match(name, "random", "attack", 20_000)
    assert one.players == ("attack", "random")
    assert other.players == ("random", "attack")
    assert one.total.score > 0.6 > 0.4 > other.total.score
    assert one.total.lines_for > one.total.lines_against
    assert other.total.lines_for < other.total.lines_against
    for mine, theirs in ((one.as_first, other.as_second), (one.as_second, other.as_first)):
        for count, mirrored in zip(
            (mine.wins, mine.draws, mine.losses),
            (theirs.losses, theirs.draws, theirs.wins),
            strict=True,
        ):
            share = (count + mirrored) / 20_000
            assert abs(count - mirrored) <= 5 * (2 * 10_000 * share * (1 - share)) ** 0.5


@pytest.mark.parametrize("name", ["tictactoe", "ntictactoe:3^3"])
def test_players_without_chance_give_exact_mirrors(name):
    one, other = match(name, lowest(), highest(), 10), match(name, highest(), lowest(), 10)
    for mine, theirs in ((one.as_first, other.as_second), (one.as_second, other.as_first)):
        assert (mine.wins, mine.draws, mine.losses) == (theirs.losses, theirs.draws, theirs.wins)
        assert (mine.lines_for, mine.lines_against) == (theirs.lines_against, theirs.lines_for)
        assert mine.plies == theirs.plies


def test_a_known_game_by_hand():
    """Lowest cells against highest: 0 8 1 7 2 is a row; the other way round 8 0 7 1 6."""
    result = match("tictactoe", lowest(), highest(), 2)
    assert (result.as_first.wins, result.as_second.losses) == (1, 1)
    assert (result.as_first.plies, result.as_second.plies) == (5, 5)
    assert (result.as_first.lines_for, result.as_first.lines_against) == (1, 0)
    assert (result.as_second.lines_for, result.as_second.lines_against) == (0, 1)


# Compiled loops and games stepped from Python


class InPython:
    """A named rule player behind a plain `move(position)`."""

    def __init__(self, name: str, seed: int, game) -> None:
        from inarow.engine.streams import make_stream

        self.name, self.inner = name, BoundPlayer(player(name), game, make_stream(seed, 9))

    def move(self, position):
        """As the compiled player moves; a new game begins on the empty board."""
        if position.ply < 2:
            self.inner.begin()
        return self.inner.move(position)


@pytest.mark.parametrize("name", RULE_PLAYERS)
def test_stepped_games_have_the_exact_odds(name):
    """Against a player of Python, compiled players play as the graph says."""
    games = 1200
    result = match("tictactoe", InPython("random", 4, game("tictactoe")), name, games, seed=2)
    for tally, chances in (
        (result.as_first, exact_odds("tictactoe", "random", name)),
        (result.as_second, exact_odds("tictactoe", name, "random")),
    ):
        win, loss = chances.first, chances.second
        if tally is result.as_second:
            win, loss = loss, win
        assert within(tally.wins, tally.games, float(win))
        assert within(tally.losses, tally.games, float(loss))
        assert within(tally.draws, tally.games, float(chances.draw))


@pytest.mark.parametrize("name", ["combined", "benchmark", "greedy-lines"])
def test_compiled_games_have_the_exact_odds(name):
    tally = match("tictactoe", name, "random", 100_000, seed=3).as_second
    chances = exact_odds("tictactoe", "random", name)
    assert within(tally.wins, tally.games, float(chances.second))
    assert within(tally.losses, tally.games, float(chances.first))


def test_an_order_kept_for_a_game_is_kept_when_stepped():
    """Two orders that are kept leave each game one course; over games they change."""
    result = match("tictactoe", InPython("random@game", 4, game("tictactoe")), lowest(), 40, seed=2)
    assert not result.repeated
    assert result.total.different > 20


# Players of Python


def test_moves_may_be_numbers_or_text():
    as_text = Chooser("text", lambda p: "123456789"[p.legal_moves[0]])
    falling = match("connect4:6x7", as_text, highest(), 2)
    assert falling.total == match("connect4:6x7", lowest(), highest(), 2).total
    as_coordinates = Chooser("text", lambda p: "{}{}".format(*(divmod(p.legal_moves[0], 3))))
    with pytest.raises(InputError, match=r"player text played an illegal move: .*'00'"):
        match("tictactoe", as_coordinates, "random", 2)


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        (99, "off the board"),
        (-1, "off the board"),
        ("x", "'x'"),
        ("", "''"),
        ("12", "'12'"),
    ],
)
@pytest.mark.parametrize("side", [0, 1])
def test_an_illegal_move_names_the_player(answer, complaint, side):
    bad = Chooser("culprit", lambda position: answer)
    pair = (bad, "random") if side == 0 else ("random", bad)
    with pytest.raises(InputError) as caught:
        match("connect4:6x7", *pair, 1)
    message = str(caught.value)
    assert message.startswith("player culprit played an illegal move: ")
    assert complaint in message
    assert len(message.splitlines()) == 1


def test_a_full_column_names_the_player():
    stubborn = Chooser("stubborn", lambda position: 0)
    with pytest.raises(
        InputError, match=r"player stubborn played an illegal move: column 1 is full"
    ):
        match("connect4:6x7", stubborn, stubborn, 1)


@pytest.mark.parametrize("do", [lambda p: p.push(p.legal_moves[0]), lambda p: p.pop()])
def test_a_changed_position_names_the_player(do):
    def change(position: Position) -> int:
        if position.ply == 3:
            do(position)
        return position.legal_moves[-1]

    with pytest.raises(InputError, match="player meddler changed the position"):
        match("tictactoe", lowest(), Chooser("meddler", change), 1)


def test_a_position_changed_and_filled_up_again_names_the_player():
    def exchange(position: Position) -> int:
        if position.ply == 3:
            last = position.pop()
            position.push(next(move for move in position.legal_moves if move != last))
        return position.legal_moves[-1]

    with pytest.raises(InputError, match="player meddler changed the position"):
        match("tictactoe", lowest(), Chooser("meddler", exchange), 1)


@pytest.mark.parametrize("answer", [None, 1.5, [0]])
def test_an_answer_that_is_no_move_names_the_player(answer):
    with pytest.raises(InputError, match="player culprit played an illegal move"):
        match("tictactoe", Chooser("culprit", lambda position: answer), "random", 1)


def test_what_is_no_player_is_refused():
    with pytest.raises(InputError, match="is not a player"):
        match("tictactoe", object(), "random", 1)
    with pytest.raises(InputError, match="unknown player 'nobody'"):
        match("tictactoe", "random", "nobody", 1)
    with pytest.raises(InputError, match="unknown game 'chess'"):
        match("chess", "random", "random", 1)


def test_an_error_in_a_player_comes_through():
    def fail(_position: Position) -> int:
        raise ZeroDivisionError("my own mistake")

    with pytest.raises(ZeroDivisionError, match="my own mistake"):
        match("tictactoe", Chooser("broken", fail), "random", 1)


# Greedy against greedy


def test_one_game_over_and_over_is_said():
    compiled = match("tictactoe", "greedy-lines@cells", "greedy-lines@cells", 1000)
    assert compiled.as_first.repeated
    assert compiled.as_second.repeated
    assert compiled.as_json()["as_first"]["repeated"] is True
    stepped = match("tictactoe", lowest(), highest(), 10)
    assert stepped.as_first.repeated
    assert stepped.as_second.repeated


def test_chance_is_not_called_repetition():
    for pair in (("random", "random"), (lowest(), "random")):
        result = match("connect4:6x7", *pair, 20, seed=1)
        assert not result.as_first.repeated
        assert not result.as_second.repeated
        assert not result.repeated
        assert result.as_first.different == 9
    assert not match("tictactoe", "random", "random", 1).repeated


def test_two_games_of_chance_are_not_called_repetition():
    assert not match("connect4:6x7", "random", "random", 2, seed=1).repeated


# Tallies


def test_a_tally_by_hand():
    tally = Tally(10, 5, 2, 3, 70, 6, 4, 9)
    assert tally.score == 0.6
    assert tally + Tally() == tally
    assert tally + tally == Tally(20, 10, 4, 6, 140, 12, 8, 18)
    answer = tally.as_json()
    assert (answer["wins"], answer["draws"], answer["losses"]) == (5, 2, 3)
    assert answer["mean_plies"] == 7
    assert answer["mean_lines"] == [0.6, 0.4]
    for name, count in (("score", 6), ("wins", 5), ("draws", 2), ("losses", 3)):
        low, high = answer["intervals"][name]
        assert low < count / 10 < high


def test_games_of_players_who_need_python_are_watched():
    seen: list = []
    result = match("tictactoe", lowest(), "random", 9, seed=1, watch=seen.append)
    assert len(seen) == 9
    assert sum(position.ply for position in seen) == result.total.plies
    won = [position.outcome is Outcome.FIRST for position in seen[:5]]
    assert sum(won) == result.as_first.wins
    match("tictactoe", "attack", "random", 9, seed=1, watch=seen.append)
    assert len(seen) == 9


# Qubic is proven for the first player alone: what perfect plays as second is said to be that.


@pytest.fixture
def quick_agent(monkeypatch):
    """In place of the strongest player known of Qubic, one that answers at once."""
    monkeypatch.setattr(names, "_shipped", lambda name: player("attack@cells"))


@pytest.mark.usefixtures("quick_agent")
def test_unproven_moves_of_perfect_play_are_counted_and_said():
    result = match("qubic", "perfect", "minimax:1", 4, seed=1)
    assert result.as_first.wins == 2
    assert result.unproven[0] > 0 == result.unproven[1]
    said = f"Not proven: {result.unproven[0]:,} moves of perfect, for which the strongest reply"
    assert said in str(result)
    assert result.as_json()["unproven"] == [result.unproven[0], 0]
    assert match("qubic", "perfect", "minimax:1", 4, seed=1) == result
    turned = match("qubic", "minimax:1", "perfect", 2, seed=1, side="first")
    assert turned.unproven[1] > 0 == turned.unproven[0]
    first = match("qubic", "perfect", "minimax:1", 2, seed=1, side="first")
    assert (first.unproven, "unproven" in first.as_json()) == ((0, 0), False)
    assert "Not proven" not in str(first)


@pytest.mark.usefixtures("quick_agent")
def test_unproven_moves_are_counted_from_openings_and_in_arenas():
    players = player("perfect"), player("minimax:1")
    args = (Openings(2), game("qubic"), *players, 4, 1, lambda games: None, lambda position: None)
    result = match_with(*args)
    assert result.unproven[0] > 0 == result.unproven[1]
    table = arena("qubic", ["minimax:1", "perfect", "random"], 2, 1)
    assert list(table.unproven) == ["perfect"]
    assert "Not proven: " in str(table)
    assert table.as_json()["unproven"] == table.unproven
    assert "unproven" not in arena("tictactoe", ["perfect", "random"], 2, 1).as_json()


@pytest.mark.parametrize("other", ["perfect@first", "minimax:2"])
def test_perfect_play_that_repeats_itself_begins_from_openings(other):
    pair = player("perfect@first"), player(other)
    openings = Openings(if_repeated=True)
    quiet = (lambda games: None, lambda position: None)
    result = match_with(openings, game("connect4:4x4"), *pair, 20, 1, *quiet)
    assert result.openings == openings.text
    assert not result.repeated
    at_random = player("perfect"), player("random")
    result = match_with(openings, game("connect4:4x4"), *at_random, 20, 1, *quiet)
    assert result.openings == ""
