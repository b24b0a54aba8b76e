"""Foreign pages and long bodies are refused before any page sees them."""

import asyncio

import httpx
import pytest

from inarow.ui.server.guard import HEADERS, Guard
from inarow.ui.server.players import MOST_BYTES


async def echo(_, receive, send):
    """Says how many bytes came."""
    taken, more = 0, True
    while more:
        message = await receive()
        taken, more = taken + len(message.get("body", b"")), message.get("more_body", False)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": str(taken).encode()})


SHARED = ("/api/move",)


async def ask(
    headers, addresses=False, proxies=(), method="GET", path="/", content=b"", origins=()
):
    guard = Guard(echo, proxies=proxies, addresses=addresses, origins=origins, shared=SHARED)
    transport = httpx.ASGITransport(guard)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8080") as client:
        return await client.request(method, path, headers=headers, content=content)


def run(*args, **named):
    return asyncio.run(ask(*args, **named))


@pytest.mark.parametrize("host", ["127.0.0.1:8080", "localhost", "LOCALHOST:9", "[::1]:8080"])
def test_its_own_names_are_served(host):
    assert run({"Host": host}).status_code == 200
    assert run({"Host": host, "Origin": f"http://{host}"}).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1.evil.example:8080",
        "[",
        "",
        "::1",
        "127.0.0.1:99999",
        "localhost:0",
    ],
)
def test_another_name_that_leads_here_is_refused(host):
    for addresses in (False, True):  # also where other machines may come
        response = run({"Host": host}, addresses)
        assert response.status_code == 403
        assert "is not a name of this server" in response.json()["error"]


@pytest.mark.parametrize(("path", "method"), [("/", "GET"), ("/api/move", "HEAD")])
def test_a_page_is_there_for_who_asks_for_its_head(path, method):
    asked = []

    async def note(scope, receive, send):
        asked.append(scope["method"])
        await echo(scope, receive, send)

    async def head():
        transport = httpx.ASGITransport(Guard(note))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            await client.head(path)

    asyncio.run(head())
    assert asked == [method]


@pytest.mark.parametrize("host", ["192.168.1.7:8080", "10.0.0.1", "[fe80::1]:8080"])
def test_addresses_are_names_where_other_machines_may_come(host):
    """Nobody can make an address point elsewhere, as they can a name."""
    assert run({"Host": host}, addresses=True).status_code == 200
    assert run({"Host": host, "Origin": f"http://{host}"}, addresses=True).status_code == 200
    assert run({"Host": host}).status_code == 403
    elsewhere = {"Host": host, "Origin": "http://10.0.0.1:3000"}
    assert run(elsewhere, addresses=True).status_code == 403


@pytest.mark.parametrize("host", ["localhost", "evil.example"])
def test_no_answer_may_be_framed(host):
    """Refusals included."""
    headers = run({"Host": host}).headers
    assert headers["x-frame-options"] == "DENY"
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert all(headers[name.decode()] == value.decode() for name, value in HEADERS)


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://[", "http://127.0.0.1:3000", ""]
)
@pytest.mark.parametrize("addresses", [False, True])
def test_pages_of_others_are_refused(origin, addresses):
    response = run({"Origin": origin}, addresses)
    assert response.status_code == 403
    assert "have no business here" in response.json()["error"]


@pytest.mark.parametrize("addresses", [False, True])
def test_a_proxy_has_a_name(addresses):
    """Whether or not it passes the host on."""
    named = {"proxies": ["Lab.example.org"], "addresses": addresses}
    for headers in (
        {"Host": "lab.example.org", "Origin": "https://lab.example.org"},
        {"Origin": "https://lab.example.org"},
    ):
        assert run(headers, **named).status_code == 200
    assert run({"Origin": "https://evil.example"}, **named).status_code == 403


@pytest.mark.parametrize(
    "host",
    [
        "evil.example@127.0.0.1",
        "evil.example:80@localhost",
        "localhost:80:90",
        "localhost:x",
        "localhost/evil",
        "localhost#x",
        "local host",
        "[::1",
    ],
)
def test_a_host_that_is_not_written_as_one_is_refused(host):
    assert run({"Host": host}, addresses=True).status_code == 403


@pytest.mark.parametrize(
    "headers",
    [
        [("Content-Length", "3"), ("Transfer-Encoding", "chunked")],
        [("Content-Length", "3"), ("Content-Length", "3")],
        [("Host", "localhost"), ("Host", "evil.example")],
        [("Origin", "http://127.0.0.1:8080"), ("Origin", "http://evil.example")],
    ],
)
def test_doubled_lengths_and_names_are_refused(headers):
    """A proxy before the server may have read the other one."""
    response = run(headers, method="POST", content=b"abc")
    assert response.status_code == 400
    assert response.headers["connection"] == "close"
    assert "a request has" in response.json()["error"]


@pytest.mark.parametrize(
    ("path", "most"), [("/api/uploads", MOST_BYTES), ("/x", 16_384), ("/api/x", 16_384)]
)
def test_no_more_bytes_are_taken_than_work(path, most):
    assert run({}, method="POST", path=path, content=bytes(most)).text == str(most)
    response = run({}, method="POST", path=path, content=bytes(most + 1))
    assert response.status_code == 413
    assert str(most) in response.json()["error"]


def test_what_is_too_long_is_not_read_to_its_end():
    taken, sent = [], []

    async def reads_all(_, receive, send):
        while (message := await receive())["more_body"]:
            taken.append(len(message["body"]))
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def call():
        pieces = [{"type": "http.request", "body": bytes(10_000), "more_body": True}] * 500

        async def receive():
            return pieces.pop() if pieces else {"type": "http.request", "more_body": False}

        async def send(message):
            sent.append(message)

        scope = {"type": "http", "path": "/api/move", "headers": [(b"host", b"localhost")]}
        await Guard(reads_all)(scope, receive, send)
        return len(pieces)

    assert asyncio.run(call()) > 300
    assert taken == [10_000]
    assert sent[0]["status"] == 413


def test_other_failures_are_not_hidden():
    async def fails(*_):
        raise ZeroDivisionError

    async def call():
        transport = httpx.ASGITransport(Guard(fails))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            await client.get("/")

    with pytest.raises(ZeroDivisionError):
        asyncio.run(call())


HERE = "https://lab.example.org"


@pytest.mark.parametrize("origins", [[HERE], ["*"], ["http://localhost:3000", HERE]])
def test_pages_of_an_allowed_origin_use_the_api_and_nothing_else(origins):
    answer = run({"Origin": HERE}, path="/api/move", origins=origins)
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == ("*" if "*" in origins else HERE)
    assert answer.headers["vary"] == "Origin"
    for name in answer.headers:  # nothing is answered in the name of a visitor
        assert name != "access-control-allow-credentials"
    for path in ("/", "/api/runs", "/api/uploads", "/api/movers", "/api/move/"):
        refused = run({"Origin": HERE}, path=path, method="POST", origins=origins)
        assert refused.status_code == 403
        assert "may ask for what GET /api lists" in refused.json()["error"]
        assert "access-control-allow-origin" not in refused.headers


@pytest.mark.parametrize("origins", [(), [HERE]])
@pytest.mark.parametrize(
    "origin", ["http://lab.example.org", f"{HERE}:444", f"{HERE}.evil.example", "null"]
)
def test_no_other_origin_is_let_in_by_it(origins, origin):
    answer = run({"Origin": origin}, path="/api/move", origins=origins)
    assert answer.status_code == 403
    assert "access-control-allow-origin" not in answer.headers


def test_a_browser_may_ask_beforehand():
    asked = {"Origin": HERE, "Access-Control-Request-Method": "POST"}
    answer = run(asked, path="/api/move", method="OPTIONS", origins=[HERE])
    assert (answer.status_code, answer.content) == (204, b"")
    assert answer.headers["access-control-allow-origin"] == HERE
    assert answer.headers["access-control-allow-headers"] == "Content-Type"
    assert "POST" in answer.headers["access-control-allow-methods"]
    for origins, path in (((), "/api/move"), ([HERE], "/api/runs")):
        assert run(asked, path=path, method="OPTIONS", origins=origins).status_code == 403


def test_its_own_name_is_asked_for_by_other_origins_too():
    headers = {"Origin": HERE, "Host": "evil.example"}
    assert run(headers, path="/api/move", origins=["*"]).status_code == 403
