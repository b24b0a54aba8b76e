"""A session: who thinks when, what is shown, and that nothing late is shown."""

import asyncio
import threading

import pytest

from inarow.game import InputError
from inarow.lab.training import train
from inarow.ui.web import uploads as uploads_module
from inarow.ui.web.executors import MOST_WAITING, Executors
from inarow.ui.web.insights import find_estimate
from inarow.ui.web.session import Session
from inarow.ui.web.settings import Setting
from inarow.ui.web.uploads import MOST_UPLOADS, Uploads
from inarow.ui.web.visitor_files import VisitorFiles


@pytest.fixture
def executors():
    threads = Executors()
    yield threads
    threads.close()


async def until(session, holds):
    """Waits until something holds, which a session tells of; compiling may come first."""
    changed = asyncio.Event()
    session.listeners.add(changed.set)
    try:
        async with asyncio.timeout(300):
            while not holds():
                await changed.wait()
                changed.clear()
    finally:
        session.listeners.discard(changed.set)


def test_a_reply_comes_and_then_the_values(executors, tmp_path):
    async def play():
        session = Session(executors, tmp_path)
        session.show(hints=True, values="exact")
        session.act(lambda: session.table.play(0))
        assert session.insight.exact is None  # nothing is valued before the reply
        await until(session, lambda: session.table.waits_for_person)
        await until(session, lambda: session.insight.complete)
        assert session.table.moves == ["11", "22"]
        assert session.insight.exact.moves.keys() == set(session.table.position.legal_moves)
        assert session.insight.hint.exact

    asyncio.run(play())


def test_values_of_a_position_that_was_left_are_dropped(executors, tmp_path, monkeypatch):
    async def play():
        session = Session(executors, tmp_path)
        await session.begin(Setting("tictactoe", "human", "first"))
        inside, gate = threading.Event(), threading.Event()

        def slowly(question):
            found = find_estimate(question)
            inside.set()
            gate.wait()
            return found

        monkeypatch.setattr("inarow.ui.web.insights.find_estimate", slowly)
        session.show(values="exact")
        await asyncio.to_thread(inside.wait)  # the empty board is being looked at
        monkeypatch.setattr("inarow.ui.web.insights.find_estimate", find_estimate)
        shown = []
        session.listeners.add(lambda: shown.append((session.table.version, session.insight)))
        session.act(lambda: session.table.play(4))
        gate.set()
        await until(session, lambda: session.insight.complete)
        assert session.insight.exact.moves.keys() == set(range(9)) - {4}
        for version, insight in shown:
            if insight.estimate is not None:
                assert version == 1
                assert insight.estimate.values.keys() == set(range(9)) - {4}

    asyncio.run(play())


def test_a_player_that_fails_is_said(executors, tmp_path, monkeypatch):
    async def play():
        session = Session(executors, tmp_path)
        monkeypatch.setattr(session.table.sides[1].bound, "moves", lambda position: 1 // 0)
        session.act(lambda: session.table.play(0))
        await until(session, lambda: session.problem)
        assert "could not move" in session.problem
        session.act(session.table.undo)  # and the game is not lost
        assert session.problem == ""
        assert session.table.waits_for_person

    asyncio.run(play())


def test_what_does_not_work_leaves_the_table_alone(executors, tmp_path):
    async def play():
        session = Session(executors, tmp_path)
        table = session.table
        for choice in (
            ("nosuchgame", "perfect", "first"),
            ("tictactoe", "nobody", "first"),
            ("tictactoe", "perfect", "third"),
            ("mnk:90x90x5", "random", "first"),
        ):
            with pytest.raises(InputError):
                await session.begin(Setting(*choice))
        assert session.table is table
        assert not session.preparing

    asyncio.run(play())


def test_the_last_wish_counts(executors, tmp_path, monkeypatch):
    async def play():
        session = Session(executors, tmp_path)
        gate, set_table = threading.Event(), session._set_table

        def slow_for_cubes(setting):
            if setting.game == "cube":
                gate.wait()
            return set_table(setting)

        monkeypatch.setattr(session, "_set_table", slow_for_cubes)
        late = asyncio.create_task(session.begin(Setting("cube", "human", "first")))
        await asyncio.sleep(0)
        await session.begin(Setting("mnk:5x5x4", "human", "first"))
        gate.set()
        await late
        assert session.table.game.name == "mnk:5x5x4"
        assert not session.preparing

    asyncio.run(play())


def test_a_wish_is_known_before_anything_is_done_about_it(executors, tmp_path):
    """Else a page that a link opens shows the table before, and a press on it is lost."""

    async def play():
        session = Session(executors, tmp_path)
        session.begin_soon(Setting("mnk:5x5x4", "", "first", 1))
        assert session.preparing
        await until(session, lambda: session.table.game.name == "mnk:5x5x4")
        assert not session.preparing
        session.begin_soon(Setting("nosuchgame", "", "first", 1))
        assert session.preparing
        await until(session, lambda: session.problem)
        assert not session.preparing
        assert session.table.game.name == "mnk:5x5x4"

    asyncio.run(play())


def test_uploads_are_checked_kept_and_bounded(executors, tmp_path):
    content = train("tictactoe", "td", against="random", games=20, seed=1).state()

    async def upload():
        session = Session(executors, tmp_path)
        assert await session.upload("../../x.safetensors", content) == "x.safetensors"
        for bad in (b"", b"not an agent", content[:-9]):
            with pytest.raises(InputError, match=r"bad.safetensors is not a saved agent"):
                await session.upload("bad.safetensors", bad)
        for number in range(MOST_UPLOADS):
            await session.upload(f"{number}.safetensors", content)
        assert len(session.uploads) == MOST_UPLOADS
        assert "x.safetensors" not in session.uploads

    asyncio.run(upload())


def test_uploads_outlive_the_server(tmp_path, monkeypatch):
    content = train("tictactoe", "td", against="random", games=20, seed=1).state()
    uploads = Uploads(VisitorFiles(tmp_path / "one"))
    for name in ("a", "../b", "c.safetensors"):  # two are kept, by numbers
        uploads.add(name, content)
    again = Uploads(VisitorFiles(tmp_path / "one"))
    assert list(again.games.items()) == [
        ("../b.safetensors", "tictactoe"),
        ("c.safetensors", "tictactoe"),
    ]
    assert again["../b.safetensors"].game.name == "tictactoe"
    assert sorted(path.name for path in (tmp_path / "one").iterdir()) == [
        "upload-0.bin",
        "upload-1.bin",
        "uploads.json",
    ]
    (tmp_path / "one" / "upload-0.bin").write_bytes(b"damaged")
    (tmp_path / "one" / "upload-1.bin").unlink()
    damaged = Uploads(VisitorFiles(tmp_path / "one"))
    for name in damaged.games:
        with pytest.raises(InputError, match=r"is not a saved agent|is no longer here"):
            _ = damaged[name]
    monkeypatch.setattr(uploads_module, "MOST_KEPT", len(content) + 99)  # of all visitors together
    for visitor, kept in (("two", 1), ("three", 0)):
        other = Uploads(VisitorFiles(tmp_path / visitor))
        other.add("d", content)
        assert len(other) == 1
        assert len(Uploads(VisitorFiles(tmp_path / visitor))) == kept
    (tmp_path / "one" / "uploads.json").write_text('{"x": [1, "../../secret"], "y": 3}')
    assert len(Uploads(VisitorFiles(tmp_path / "one"))) == 0


def test_closing_ends_what_somebody_waited_for(executors, tmp_path):
    async def play():
        session = Session(executors, tmp_path)
        gate = threading.Event()
        session._set_table = lambda *_: gate.wait()
        session.begin_soon(Setting("mnk:5x5x4", "", "first", 1))
        (task,) = session._tasks
        await asyncio.sleep(0)
        session.close()
        gate.set()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(play())


def test_a_table_that_fails_is_said(executors, tmp_path, monkeypatch):
    async def play():
        session = Session(executors, tmp_path)
        monkeypatch.setattr(session, "_set_table", lambda *_: 1 // 0)
        session.begin_soon(Setting("mnk:5x5x4", "", "first", 1))
        await until(session, lambda: session.problem)
        assert "could not begin" in session.problem
        assert not session.preparing

    asyncio.run(play())


def test_nobody_waits_for_another_visitors_file(executors, tmp_path, monkeypatch):
    """Neither while it is read nor while it thinks: not for a move, and not for values."""
    inside, gate = threading.Semaphore(0), threading.Event()

    def slowly(*_):
        inside.release()
        gate.wait()

    async def play():
        theirs, mine = Session(executors, tmp_path), Session(executors, tmp_path)
        content = train("tictactoe", "td", against="random", games=20).state()
        await theirs.upload("slow.safetensors", content)
        await theirs.begin(Setting("tictactoe", "slow.safetensors", "second"))
        await until(theirs, lambda: theirs.table.waits_for_person)
        monkeypatch.setattr(theirs.table, "think", slowly)
        monkeypatch.setattr("inarow.ui.web.uploads.agent_from", slowly)
        theirs.act(theirs.table.again)  # its agent thinks about its first move, ...
        waiting = asyncio.create_task(theirs.upload("more.safetensors", content))  # ... and reads
        for _ in range(2):
            await asyncio.to_thread(inside.acquire)
        mine.show(hints=True, values="exact")
        mine.act(lambda: mine.table.play(0))
        await until(mine, lambda: mine.insight.complete and mine.table.waits_for_person)
        assert mine.insight.exact is not None
        waiting.cancel()
        theirs.close()

    try:
        asyncio.run(play())
    finally:
        gate.set()


def test_only_so_many_files_are_waited_for(executors):
    gate = threading.Event()

    async def ask():
        waiting = [asyncio.create_task(executors.of_files(gate.wait)) for _ in range(MOST_WAITING)]
        await asyncio.sleep(0)
        with pytest.raises(InputError, match="16 agents from files are being read or asked"):
            await executors.of_files(gate.wait)
        for task in waiting:
            task.cancel()  # whoever leaves frees no thread
        with pytest.raises(InputError, match="try again"):
            await executors.of_files(gate.wait)
        gate.set()
        async with asyncio.timeout(60):
            while executors._waiting:
                await asyncio.sleep(0.01)
        assert await executors.of_files(gate.wait)

    try:
        asyncio.run(ask())
    finally:
        gate.set()
