"""Fewer bytes for whoever can unpack them; the same answers for everybody."""

import asyncio
import gzip

import httpx
import pytest

from inarow.ui.web.packed import Packed

TEXT = b"let x = 1;\n" * 500


class Server:
    """Answers with a text of a kind, and counts how often it is asked."""

    def __init__(self, kind="text/javascript", status=200):
        self.kind, self.status, self.asked = kind, status, 0

    async def __call__(self, _scope, _receive, send):
        self.asked += 1
        headers = [(b"content-type", self.kind.encode()), (b"content-length", b"%d" % len(TEXT))]
        start = {"type": "http.response.start", "status": self.status, "headers": headers}
        await send(start)
        await send({"type": "http.response.body", "body": TEXT[:100], "more_body": True})
        await send({"type": "http.response.body", "body": TEXT[100:]})


def ask(app, path, **headers):
    async def get():
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            client.headers["accept-encoding"] = headers.pop("accept_encoding", "gzip, br")
            async with client.stream("GET", path, headers=headers) as answer:
                return answer, b"".join([part async for part in answer.aiter_raw()])

    return asyncio.run(get())


def test_what_never_changes_is_packed_once():
    server = Server()
    app = Packed(server)
    for _ in range(3):
        answer, body = ask(app, "/_nicegui/1.0/static/vue.js")
        assert gzip.decompress(body) == TEXT
        assert int(answer.headers["content-length"]) == len(body) < len(TEXT) / 10
        assert answer.headers["vary"] == "Accept-Encoding"
    assert server.asked == 1
    answer, body = ask(app, "/_nicegui/1.0/static/vue.js", accept_encoding="identity")
    assert (body, "content-encoding" in answer.headers) == (TEXT, False)
    for _ in range(2):  # a page is packed, and never kept
        assert gzip.decompress(ask(app, "/train")[1]) == TEXT
    assert server.asked == 4


@pytest.mark.parametrize(("kind", "status"), [("font/woff2", 200), ("text/html", 304)])
def test_other_answers_are_left_alone(kind, status):
    answer, body = ask(Packed(Server(kind, status)), "/_nicegui/font")
    assert (answer.status_code, body) == (status, TEXT)
    assert "content-encoding" not in answer.headers
    ranged, body = ask(Packed(Server()), "/_nicegui/x", range="bytes=0-10")
    assert body == TEXT
    assert "content-encoding" not in ranged.headers
