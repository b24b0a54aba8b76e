"""Connections that send half a request, or do not read an answer, are closed."""

import socket
import threading
import time

import pytest
import uvicorn

from inarow.ui.server import prompt_protocol

HEAD = b"POST /x HTTP/1.1\r\nHost: localhost\r\n"
LONG = 50_000_000  # bytes of an answer: more than the system keeps for a client


async def answer(scope, receive, send):
    """Reads everything, then says how much; or sends a long answer."""
    taken, more = 0, True
    while more:
        message = await receive()
        taken, more = taken + len(message.get("body", b"")), message.get("more_body", False)
    body = bytes(LONG) if scope["path"] == "/long" else str(taken).encode()
    length = str(len(body)).encode()
    start = {"status": 200, "headers": [(b"content-length", length)]}
    await send({"type": "http.response.start", **start})
    await send({"type": "http.response.body", "body": body})


@pytest.fixture
def connect(monkeypatch):
    """Makes connections to a server that is in a hurry."""
    monkeypatch.setattr(prompt_protocol, "SECONDS", 0.5)
    monkeypatch.setattr(prompt_protocol, "STUCK_SECONDS", 0.5)
    monkeypatch.setattr(prompt_protocol, "LOOK_SECONDS", 0.05)
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(
        answer, http=prompt_protocol.PromptProtocol, lifespan="off", log_level="warning"
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    made = []

    def make():
        made.append(socket.create_connection(listener.getsockname(), timeout=60))
        return made[-1]

    yield make
    for connection in made:
        connection.close()
    server.should_exit = True
    thread.join()
    listener.close()


def read_all(connection):
    """What comes until the other end closes; waits for that as long as it takes."""
    taken = bytearray()
    try:
        while piece := connection.recv(65_536):
            taken += piece
    except ConnectionResetError:
        pass
    return bytes(taken)


@pytest.mark.parametrize(
    "half",
    [
        b"",
        b"GE",
        HEAD,
        HEAD + b"Content-Length: 100\r\n\r\n",
        HEAD + b"Content-Length: 100\r\n\r\nabc",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\nab",
    ],
)
def test_half_a_request_is_not_waited_for(connect, half):
    connection = connect()
    connection.sendall(half)
    assert read_all(connection) == b""


def test_half_a_request_after_a_whole_one(connect):
    connection = connect()
    connection.sendall(HEAD + b"Content-Length: 3\r\n\r\nabc")
    while not (said := connection.recv(65_536)).endswith(b"3"):
        assert said
    connection.sendall(HEAD)
    assert read_all(connection) == b""


def test_bytes_that_trickle_in_do_not_help(connect):
    connection = connect()

    def trickle():
        for byte in HEAD * 100:
            connection.sendall(bytes([byte]))
            time.sleep(0.05)

    with pytest.raises(OSError, match=r"Broken pipe|reset"):
        trickle()


def test_a_long_request_that_arrives_has_its_time(connect, monkeypatch):
    monkeypatch.setattr(prompt_protocol, "RATE", 10)  # ten bytes for a second more
    connection = connect()
    connection.sendall(HEAD + b"Content-Length: 300\r\n\r\n")
    for _ in range(30):
        connection.sendall(b"0123456789")
        time.sleep(0.05)
    while not (said := connection.recv(65_536)).endswith(b"300"):
        assert said


def test_an_answer_that_nobody_reads_is_dropped(connect):
    connection = connect()
    connection.sendall(b"GET /long HTTP/1.1\r\nHost: localhost\r\n\r\n")
    time.sleep(2)
    assert len(read_all(connection)) < LONG
