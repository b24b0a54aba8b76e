"""What is kept of visitors: whole files, by ids that are none of a path, and not for ever."""

import json
import os
import time
from uuid import uuid4

import pytest

import inarow
from inarow.game import game
from inarow.ui.server.arena_files import ArenaFiles
from inarow.ui.server.arena_jobs import ArenaJob, Arenas
from inarow.ui.server.jobs import JobQueue
from inarow.ui.server.kept import KeptRun, KeptState, KeptUploads
from inarow.ui.server.site import Site
from inarow.ui.server.visitor_files import KEPT_SECONDS, VisitorFiles, VisitorStore


def test_files_are_written_read_and_forgotten(tmp_path):
    files = VisitorFiles(tmp_path / "new")
    assert (files.read("a.json"), files.names("*")) == (None, [])
    assert files.read_as("a.json", KeptState) is None
    files.write_json("a.json", {"games": 3})
    assert files.read_as("a.json", KeptState) == KeptState(games=3)
    assert files.names("*.json") == ["a.json"]  # nothing is left aside
    files.write("b.json", b"{")
    assert files.read_as("b.json", KeptState) is None
    files.remove("b.json")
    files.remove("b.json")
    files.end()
    files.write("c.json", b"{}")
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == ["a.json"]


def test_nothing_is_kept_where_nothing_can_be_written(tmp_path, caplog):
    (tmp_path / "file").write_text("")
    VisitorFiles(tmp_path / "file").write("a.json", b"{}")
    assert "a visitor's a.json is not kept" in caplog.text
    VisitorFiles().write("a.json", b"{}")  # and without a place, nothing is said
    assert VisitorFiles().names("*") == []


def test_a_store_knows_ids_alone_and_a_secret(tmp_path):
    store = VisitorStore(tmp_path)
    here, away = str(uuid4()), str(uuid4())
    for identity in (here, away):
        store.files_of(identity).write("a.json", b"{}")
    for identity in ("..", "../../etc/passwd", "", here + "/x", here.upper() + "g"):
        assert store.files_of(identity).place is None
    long_ago = time.time() - KEPT_SECONDS - 1
    os.utime(store.root / away, (long_ago, long_ago))
    assert store.identities() == [here]
    assert not (store.root / away).exists()
    secret = store.secret()
    assert (len(secret), VisitorStore(tmp_path).secret()) == (64, secret)
    assert (store.root / "secret").stat().st_mode & 0o777 == 0o600
    assert VisitorStore(tmp_path / "other").secret() != secret


RUN = {
    "order": {
        "game": "tictactoe", "learner": "td", "options": {}, "against": "attack", "games": 100,
        "seed": 1, "tester": "random",
    },
    "points": [[0.5, 0.25, 0.25, 0, 10, None]], "plan": [100], "counted": [10, 1],
    "seconds": 0.5, "state": "waiting", "error": "",
}  # fmt: skip
ARENA = {
    "game": "tictactoe", "names": ["random", "attack"], "games": 2, "seed": 1, "changed": {},
    "state": "waiting", "error": "", "matches": [], "version": inarow.__version__,
}  # fmt: skip
DEEP = '{"a":' * 100_000 + "1" + "}" * 100_000


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("run-1.json", DEEP),
        ("run-1.json", json.dumps({**RUN, "plan": [float("inf")]})),
        ("run-1.json", json.dumps({**RUN, "seconds": 10**400})),
        ("run-1.json", json.dumps({**RUN, "points": [["x"] * 6]})),
        ("run-1.json", json.dumps({**RUN, "order": {**RUN["order"], "games": {}}})),
        ("arena.json", DEEP),
        ("arena.json", json.dumps({**ARENA, "changed": []})),
        ("arena.json", json.dumps({**ARENA, "matches": [[1, ["x"] * 8, ["x"] * 8]]})),
        ("arena.json", json.dumps({**ARENA, "matches": [[1, [2] * 8, [2] * 8]]})),
        ("arena.json", json.dumps({**ARENA, "names": ["random"] * 10_000})),
    ],
)
def test_a_server_starts_with_whatever_lies_there(tmp_path, caplog, name, content):
    """What is not as the server wrote it is left out, and everything else is there."""
    files = VisitorStore(tmp_path).files_of(str(uuid4()))
    files.write("run-2.json", json.dumps({**RUN, "state": "stopped"}).encode())
    files.write(name, content.encode())
    site = Site(tmp_path)
    try:
        site.continue_work()
        visitor = site.visitors.find(site.store.identities()[0])
        assert list(visitor.runs.jobs) == [2]
        assert visitor.runs.jobs[2].points[0].outcomes.won == 0.5
        assert visitor.arenas.job is None
    finally:
        site.close()
    assert f"a visitor's {name} cannot be used: " in caplog.text


def test_other_files_of_a_visitor_are_checked_by_the_same_rule(tmp_path):
    files = VisitorFiles(tmp_path)
    for kind, sound, changes in (
        (KeptRun, RUN, {"state": "x", "plan": [-1], "counted": [1], "more": 1, "looks": [3]}),
        (KeptState, {"games": 5}, {"games": -1}),
        (KeptUploads, {"a": ["tictactoe", 0]}, {"a": ["tictactoe", "../../x"], "b": 3}),
    ):
        files.write_json("some.json", sound)
        assert files.read_as("some.json", kind) is not None
        for part, value in changes.items():
            files.write_json("some.json", {**sound, part: value})
            assert files.read_as("some.json", kind) is None


def test_a_pipe_or_a_strange_secret_keeps_no_server_from_starting(tmp_path):
    files = VisitorFiles(tmp_path / "one")
    files.write("a.json", b"{}")
    os.mkfifo(tmp_path / "one" / "b.json")
    assert files.read("b.json") is None  # and does not wait for a writer
    store = VisitorStore(tmp_path)
    for content in (b"\xff\xfe", b"", b"short"):
        store.root.mkdir(exist_ok=True)
        (store.root / "secret").write_bytes(content)
        made = store.secret()
        assert len(made) == 64
        assert store.secret() == made


def test_games_of_an_arena_are_whole_or_none(tmp_path):
    files = ArenaFiles(VisitorFiles(tmp_path))
    job = ArenaJob(game("tictactoe"), [inarow.player(n) for n in ("random", "minimax:3")], 4, 1)
    job.kept = files
    while job.turn():
        pass
    whole = (tmp_path / "arena-0.moves").read_bytes()
    assert files.games(0, 4) == job.records["random", "minimax:3"]
    for content in (whole[:-1], whole[:-2], whole + b"\0\0", b"", b"\xff" * len(whole)):
        (tmp_path / "arena-0.moves").write_bytes(content)
        assert files.games(0, 4) is None
    queue = JobQueue(1)
    again = Arenas(queue, files, lambda name, _: inarow.player(name)).job
    assert again is not None
    assert (again.matches, again.records) == (job.matches, {})
    queue.close()
