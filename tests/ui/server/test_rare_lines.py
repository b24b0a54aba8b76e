"""Junk on connections writes few lines into the log, and says how many it did not write."""

import logging
import signal
import socket
import time
from urllib.parse import urlsplit

from inarow.ui.server.rare_lines import MOST_KINDS, RareLines

UPGRADE = (
    b"GET /api/games HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)


class Log:
    """A filter whose clock is set by hand."""

    def __init__(self) -> None:
        self.now = 0.0
        self.lines = RareLines(10.0, lambda: self.now)

    def write(self, message: str, *given: object) -> str | None:
        """The line as it is written, or None."""
        record = logging.LogRecord("uvicorn.error", logging.WARNING, "", 1, message, given, None)
        return record.getMessage() if self.lines.filter(record) else None


def test_lines_alike_are_written_once_in_a_while_and_counted():
    log = Log()
    assert log.write("junk of %s", "one") == "junk of one"
    for second in range(1, 10):
        log.now = float(second)
        assert log.write("junk of %s", second) is None
    assert log.write("another line") == "another line"
    log.now = 10.0
    assert log.write("junk of %s", "two") == "junk of two (9 more alike)"
    assert log.write("junk of %s", "two") is None
    log.now = 25.0
    assert log.write("another line") == "another line"
    assert log.write("junk of %s", "three") == "junk of three (1 more alike)"
    log.now = 40.0
    assert log.write("junk of %s", "four") == "junk of four"


def test_few_kinds_of_lines_are_remembered():
    log = Log()
    for number in range(5 * MOST_KINDS):
        log.write(f"{number} is a kind of its own")
        assert len(log.lines._last) <= MOST_KINDS


def test_junk_on_connections_writes_a_line_of_each_kind(server_process):
    process, address = server_process(options=["--name", "lab.example.org"])  # whose log is read
    place, begun = urlsplit(address), time.monotonic()
    for number in range(60):
        with socket.create_connection((place.hostname, place.port), 60) as connection:
            if number % 2:
                connection.sendall(UPGRADE)
                assert connection.recv(15) == b"HTTP/1.1 200 OK"
            connection.sendall(bytes(range(128, 256)) * 20 + b"\r\n\r\n")
            connection.shutdown(socket.SHUT_WR)
            try:
                while connection.recv(65_536):
                    pass
            except ConnectionError:
                pass
    seconds = time.monotonic() - begun
    process.send_signal(signal.SIGTERM)
    said = process.communicate(timeout=60)[1]
    kinds = ("Unsupported upgrade request.", "Invalid HTTP request received.")
    lines = [line for line in said.splitlines() if any(kind in line for kind in kinds)]
    assert {kind for kind in kinds if kind in said} == {*kinds}
    assert len(lines) <= 2 * (1 + seconds // 10)
    assert "Traceback" not in said
    assert "install" not in said
