"""Arenas in the background: the same result as `lab.matches.arena`, and every game again."""

import re
import time
from collections import Counter

import pytest

import inarow
from inarow.game import InputError, Outcome, game
from inarow.lab.matches.arena import arena
from inarow.lab.players.names import player
from inarow.lab.training.run import train
from inarow.ui.server.arena_files import ArenaFiles
from inarow.ui.server.arena_jobs import ArenaJob, Arenas, AskedMoveByMove, interruptible
from inarow.ui.server.jobs import JobQueue, State
from inarow.ui.server.players import find_file, find_player
from inarow.ui.server.visitor_files import VisitorFiles

TICTACTOE = game("tictactoe")


@pytest.fixture
def queue():
    queue = JobQueue(1)
    yield queue
    queue.close()


def wait(job, until=lambda job: not job.is_active) -> None:
    end = time.monotonic() + 300  # the first games of a player compile
    while not until(job):
        assert time.monotonic() < end, (job.state, job.played)
        time.sleep(0.01)


def check_games(job: ArenaJob) -> None:
    """All games of all matches add up to what the crosstable says."""
    for (one, other), result in job.matches.items():
        games = [job.game_of(one, other, number) for number in range(job.games)]
        split = result.as_first.games
        for part, tally, winner in (
            (games[:split], result.as_first, Outcome.FIRST),
            (games[split:], result.as_second, Outcome.SECOND),
        ):
            ends = Counter(position.outcome for position in part)
            assert (ends[winner], ends[Outcome.DRAW]) == (tally.wins, tally.draws)
            assert sum(position.ply for position in part) == tally.plies


def test_compiled_players_and_one_of_python(queue):
    agent = train("tictactoe", "q", games=3000, seed=1).agent
    agent.name = "mine.safetensors"
    players = [player("random"), player("perfect"), agent, player("attack")]
    arenas = Arenas(queue)
    job = arenas.start(ArenaJob(TICTACTOE, players, 21, 5))
    assert arenas.busy
    wait(job)
    assert not arenas.busy
    assert (job.state, job.error, job.played) == (State.DONE, "", 6 * 21)
    assert job.result == arena("tictactoe", players, 21, seed=5)
    assert set(job.records) == {pair for pair in job.pairs if "perfect" in pair}
    check_games(job)


def test_players_that_search_are_asked_move_by_move(queue):
    slow = interruptible(player("minimax:3"))
    assert isinstance(slow, AskedMoveByMove)
    assert interruptible(player("random")).name == "random"
    perfect = player("perfect")
    assert interruptible(perfect) is perfect
    with pytest.raises(InputError, match="minimax:3 has not taken its side"):
        slow.move(TICTACTOE.position())
    job = Arenas(queue).start(ArenaJob(TICTACTOE, [player("minimax:3"), player("random")], 10, 1))
    wait(job)
    assert job.matches["minimax:3", "random"].total.losses < 3
    check_games(job)


def test_stopped_in_the_middle(queue):
    arenas = Arenas(queue)
    first = arenas.start(
        ArenaJob(game("connect4:4x4"), [player("perfect"), player("random")], 10_000, 1)
    )
    wait(first, until=lambda job: job.played > 0)
    second = arenas.start(ArenaJob(TICTACTOE, [player("random"), player("attack")], 10, 1))
    wait(second)
    assert first.state is State.STOPPED
    assert 0 < first.played < 10_000
    assert second.state is State.DONE
    with pytest.raises(InputError, match="have not played yet"):
        first.game_of("perfect", "random", 0)
    for number in (-1, 10):
        with pytest.raises(InputError, match="0 to 9"):
            second.game_of("random", "attack", number)


@pytest.mark.parametrize(
    ("names", "games", "seed", "line"),
    [
        (["random"], 10, 1, "2 to 10 players, not 1"),
        (["random", "random"], 10, 1, "everybody enters once"),
        (["random", "attack"], 0, 1, "between 1 and 10,000, not 0"),
        (["random", "attack"], 10, -1, "the seed must be a whole number"),
    ],
)
def test_wrong_arenas(names, games, seed, line):
    with pytest.raises(InputError, match=re.escape(line)):
        ArenaJob(TICTACTOE, [player(name) for name in names], games, seed)


def test_too_many_moves():
    with pytest.raises(InputError, match="20,000,000 are the most here"):
        ArenaJob(
            game("mnk:30x30x5"), [player(n) for n in ("random", "attack", "defense")], 10_000, 1
        )


def test_a_player_of_another_game_fails_with_a_line(queue):
    agent = train("tictactoe", "q", games=10, seed=1).agent
    job = Arenas(queue).start(ArenaJob(game("connect4:4x4"), [agent, player("random")], 10, 1))
    wait(job)
    assert job.state is State.FAILED
    assert "tictactoe" in job.error


def test_an_arena_goes_on_from_the_disk(queue, tmp_path):
    """One killed in the middle, with a saved agent and one of Python; then the agent is gone."""
    folder, files = tmp_path / "agents", VisitorFiles(tmp_path / "visitor")
    folder.mkdir()
    train("tictactoe", "q", games=500, seed=1).save(folder / "mine.safetensors")
    names = ["mine.safetensors", "perfect", "random", "attack"]

    def find(name, game):
        return find_player(name, game, folder)

    def agent_file(name):
        return find_file(name, folder)

    job = ArenaJob(TICTACTOE, [find(name, TICTACTOE) for name in names], 6, 5)
    job.kept = ArenaFiles(files, agent_file)
    job.changed = job.kept.changed(names)
    for _ in range(4):  # the first match of perfect is among them
        job.state = State.RUNNING
        job.turn()
    files.end()  # killed

    arenas = Arenas(queue, ArenaFiles(VisitorFiles(tmp_path / "visitor"), agent_file), find)
    again = arenas.job
    assert again.matches.items() >= job.matches.items()
    assert again.records.items() >= job.records.items()
    wait(again)
    assert (again.state, again.error, again.played) == (State.DONE, "", 6 * 6)
    assert again.result == arena("tictactoe", [again._players[n] for n in names], 6, seed=5)
    check_games(again)

    (folder / "mine.safetensors").unlink()
    late = Arenas(queue, ArenaFiles(VisitorFiles(tmp_path / "visitor"), agent_file), find).job
    assert (late.state, late.result) == (State.DONE, again.result)
    assert late.game_of("mine.safetensors", "perfect", 0).outcome is not None  # written down
    with pytest.raises(InputError, match="is no longer there, or has changed since"):
        late.game_of("mine.safetensors", "random", 0)
    assert late.game_of("random", "attack", 3).outcome is not None
    (tmp_path / "visitor" / "arena.json").write_text('{"version": "' + inarow.__version__ + '"}')
    files = ArenaFiles(VisitorFiles(tmp_path / "visitor"), agent_file)
    assert Arenas(queue, files, find).job is None
    Arenas(queue, files).start(
        ArenaJob(TICTACTOE, [player("random"), player("attack")], 1, 1)
    ).stop()
    assert not list((tmp_path / "visitor").glob("*.moves"))
