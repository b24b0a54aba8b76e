"""What is kept of visitors: whole files, by ids that are none of a path, and not for ever."""

import os
import time
from uuid import uuid4

from inarow.ui.web.visitor_files import KEPT_SECONDS, VisitorFiles, VisitorStore


def test_files_are_written_read_and_forgotten(tmp_path):
    files = VisitorFiles(tmp_path / "new")
    assert (files.read("a.json"), files.read_json("a.json"), files.names("*")) == (None, {}, [])
    files.write_json("a.json", {"x": [1]})
    assert files.read_json("a.json") == {"x": [1]}
    assert files.names("*.json") == ["a.json"]  # nothing is left aside
    files.write("b.json", b"{")
    assert files.read_json("b.json") == {}
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
