"""Games of a match, played again: they are the games that the match counted."""

from collections import Counter

import pytest

from inarow.game import InputError, Outcome
from inarow.lab.matches import match as matches
from inarow.lab.matches.games import replay, replay_all
from inarow.lab.matches.match import match
from inarow.lab.players.names import player
from inarow.lab.training.run import train


def check_all(result, one, other, chunk: int = 10**6) -> list:
    """All games again add up to what the match counted."""
    games = [replay(result, one, other, number) for number in range(result.total.games)]
    assert [g.moves for g in replay_all(result, one, other)] == [g.moves for g in games]
    for start, tally, winner in (
        (0, result.as_first, Outcome.FIRST),
        (result.as_first.games, result.as_second, Outcome.SECOND),
    ):
        part = games[start : start + tally.games]
        ends = Counter(position.outcome for position in part)
        assert (ends[winner], ends[Outcome.DRAW]) == (tally.wins, tally.draws)
        assert sum(position.ply for position in part) == tally.plies
        firsts = [part[i - i % chunk] for i in range(len(part))]
        different = sum(p.moves != q.moves for p, q in zip(part, firsts, strict=True))
        assert different == tally.different
    return games


@pytest.mark.parametrize("name", ["tictactoe", "connect4:4x5", "ntictactoe:3^3", "cube"])
def test_rule_players(name):
    one, other = player("combined"), player("random@game")
    check_all(match(name, one, other, 41, seed=7), one, other)


def test_over_several_chunks(monkeypatch):
    monkeypatch.setattr(matches, "chunk_size", lambda game: 5)
    monkeypatch.setattr("inarow.lab.matches.games.chunk_size", lambda game: 5)
    one, other = player("random"), player("attack")
    result = match("connect4:4x4", one, other, 33, seed=2)
    games = [position.moves for position in check_all(result, one, other, 5)]
    assert len(set(games)) > 25


def test_a_learned_agent():
    agent = train("tictactoe", "q", games=2000, seed=1).agent
    other = player("advanced")
    check_all(match("tictactoe", agent, other, 20, seed=3), agent, other)


def test_what_cannot_be_played_again():
    one, other = player("random"), player("attack")
    result = match("tictactoe", one, other, 10)
    for number in (-1, 10):
        with pytest.raises(InputError, match="the match has 0 to 9"):
            replay(result, one, other, number)
    with pytest.raises(InputError, match="perfect needs Python"):
        replay(result, player("perfect"), other, 0)
