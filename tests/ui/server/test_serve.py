"""The command: what does not work is said in a line, before anything is served."""

import signal
import socket
import subprocess
import sys
from contextlib import suppress
from inspect import signature
from urllib.parse import urlsplit

import httpx
import pytest

from inarow.ui import serve


@pytest.fixture(scope="module")
def half_requests(server):
    """Connections that each sent half a request, before all other tests here."""
    place = urlsplit(server)
    connections = [socket.create_connection((place.hostname, place.port), 60) for _ in range(70)]
    for connection in connections:
        connection.sendall(b"POST /api/move HTTP/1.1\r\nHost: localhost\r\nContent-Le")
    return connections


@pytest.mark.usefixtures("half_requests")
def test_a_port_that_is_taken(run):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        status, out, err = run("serve", "--port", str(taken.getsockname()[1]))
    assert (status, out) == (2, "")
    assert err.startswith("error: cannot serve at 127.0.0.1:")
    assert "in use" in err


def test_a_host_or_folder_that_does_not_work(run, tmp_path):
    assert (
        "cannot serve at no.such.host.invalid" in run("serve", "--host", "no.such.host.invalid")[2]
    )
    assert "the port must be between 0 and 65535, not 70000" in run("serve", "--port", "70000")[2]
    file = tmp_path / "file"
    file.write_text("")
    assert "is not a folder" in run("serve", "--folder", str(file))[2]


def test_it_listens_on_this_machine_alone():
    assert signature(serve.serve).parameters["host"].default == "127.0.0.1"
    listener = serve._listen("127.0.0.1", 0)
    with listener:
        assert listener.getsockname()[0] == "127.0.0.1"
    assert serve._address("0.0.0.0", 80) == "http://127.0.0.1:80"
    assert serve._address("::", 80) == "http://[::1]:80"
    assert serve._outside("lab.example.org") == "lab.example.org"
    assert serve._outside("0.0.0.0") not in ("", "0.0.0.0")


def test_other_machines_are_let_in_with_a_warning(server_process):
    """And by the server's own names and addresses alone, and those that --name adds."""
    process, address = server_process(options=["--host", "0.0.0.0", "--name", "lab.example.org"])
    others = process.stdout.readline()
    assert others.startswith("others can use http://")
    assert "//0.0.0.0" not in others
    warning = process.stderr.readline()
    assert warning.startswith("warning: other machines can reach this server")
    hostname = socket.gethostname().lower()
    assert f"to {', '.join(sorted({'localhost', 'lab.example.org', hostname}))};" in warning
    port = urlsplit(address).port
    for host in ("lab.example.org", hostname, f"10.1.2.3:{port}", f"localhost:{port}"):
        answer = httpx.get(f"{address}/api/games", headers={"Host": host}, timeout=60)
        assert answer.status_code == 200
    refused = httpx.get(f"{address}/api/games", headers={"Host": "evil.example"}, timeout=60)
    assert refused.status_code == 403
    assert "lab.example.org" in refused.json()["error"]


def test_on_this_machine_alone_there_is_nothing_to_warn_of():
    assert serve.own_names("127.0.0.1", exposed=False) == [*serve.LOOPBACK]
    assert serve.own_names("192.168.1.7", exposed=True)[-1] == "192.168.1.7"


def test_other_commands_do_not_wait_for_the_browser_part():
    code = "import sys, inarow.ui.main; sys.exit('fastapi' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_signal_ends_it(server_process):
    process, _ = server_process()
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=120) in (0, -signal.SIGTERM, 128 + signal.SIGTERM)


def test_pages_may_not_be_framed(server):
    for path in ("/", "/api/games", "/nowhere"):
        assert httpx.get(f"{server}{path}").headers["x-frame-options"] == "DENY"


def test_half_a_request_is_not_waited_for(half_requests):
    """Seventy of them stayed open for as long as anybody looked."""
    for connection in half_requests:
        with connection, suppress(ConnectionResetError):
            assert connection.recv(1) == b""


def test_origins_are_written_as_browsers_write_them(run):
    assert serve._origin("https://Lab.Example.org") == "https://lab.example.org"
    assert serve._origin("http://localhost:3000") == "http://localhost:3000"
    assert serve._origin("http://[::1]:3000") == "http://[::1]:3000"
    assert serve._origin("*") == "*"
    for text, instead in (
        ("lab.example.org", "write https://lab.example.org"),
        ("https://lab.example.org/", "write https://lab.example.org"),
        ("http://localhost:3000/page", "write http://localhost:3000"),
        ("ftp://lab.example.org", "as in https://example.org"),
        ("null", "let in by * alone"),
    ):
        status, _, err = run("serve", "--allow-origin", text)
        assert status == 2
        assert err.startswith(f"error: --allow-origin {text}")
        assert err.rstrip().endswith(instead)


def test_a_page_of_another_origin_asks_a_server_that_allows_it(server_process):
    origin = "http://localhost:3000"
    _, address = server_process(options=["--allow-origin", origin])
    question = {"game": "tictactoe", "moves": "22"}
    headers = {"Origin": origin}
    solved = httpx.post(f"{address}/api/solve", json=question, headers=headers, timeout=60)
    assert solved.headers["access-control-allow-origin"] == origin
    assert solved.json()["value"] == 0
    for path in ("/api/arena", "/api/runs"):
        refused = httpx.post(f"{address}{path}", json=question, headers=headers, timeout=60)
        assert refused.status_code == 403
