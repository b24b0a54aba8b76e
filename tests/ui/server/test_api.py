"""The API: right answers, one line for every error, and no question that brings it down."""

import asyncio
import json
import re
import shlex
import socket
import threading
from pathlib import Path

import httpx
import pytest
import schemathesis
import uvicorn
from fastapi import FastAPI
from hypothesis import given, settings, strategies
from schemathesis.config import (
    GenerationConfig,
    ProjectConfig,
    ProjectsConfig,
    SchemathesisConfig,
)
from schemathesis.specs.openapi.checks import positive_data_acceptance

import inarow
from inarow.engine.streams import make_stream
from inarow.game.position import move_text
from inarow.lab.players.names import player
from inarow.lab.players.protocols import ask, bind_player
from inarow.search.perfect import perfect_moves
from inarow.ui.server import answers as api_answers
from inarow.ui.server import api, pools
from inarow.ui.server.guard import Guard
from inarow.ui.server.models import MoveQuestion, ValuesQuestion
from inarow.ui.server.players import find_player
from inarow.ui.server.pools import FullError, Pool
from inarow.ui.server.site import Site


def find(name, game):
    """Players by name alone."""
    return find_player(name, game, Path("unused"))


LONG = " ".join(f"{column}" for column in range(1, 120))  # moves of a game
EXAMPLES = 25  # for each question
AGENT = "td.safetensors"


@pytest.fixture(scope="module")
def agents(tmp_path_factory):
    """A folder with a good agent, a bad one, and one outside that must not be reached."""
    outside = tmp_path_factory.mktemp("outside")
    folder = outside / "agents"
    folder.mkdir()
    run = inarow.train("tictactoe", "td", against="random", games=2_000, seed=1)
    run.save(folder / AGENT)
    run.save(outside / "secret.safetensors")
    (folder / "bad.safetensors").write_bytes(b"no agent at all")
    return folder


@pytest.fixture(scope="module")
def address(agents):
    """A server with the API alone, in a thread."""
    application = FastAPI()
    api.add_to(application, Site(agents))
    app = Guard(application)
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical", ws="none"))
    thread = threading.Thread(target=server.run, args=([listener],))
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}/api"
    server.should_exit = True
    thread.join()
    listener.close()


@pytest.fixture(scope="module")
def client(address):
    # A connection for each question: the server may close one that was idle as it is taken again.
    limits = httpx.Limits(max_keepalive_connections=0)
    with httpx.Client(base_url=address, timeout=60, limits=limits) as client:
        yield client


@pytest.fixture
def post(client):
    """The answer to a question that works."""

    def call(path, **question):
        response = client.post(path, json=question)
        assert response.status_code == 200, response.text
        return response.json()

    return call


@pytest.fixture
def refuse(client):
    """Status and line of the answer to a question that does not work."""

    def call(path, **question):
        response = client.post(path, json=question)
        return response.status_code, the_line(response)

    return call


def the_line(response):
    """The one line of an error, with nothing else."""
    assert response.headers["content-type"] == "application/json"
    answer = response.json()
    assert list(answer) == ["error"]
    assert len(answer["error"].splitlines()) == 1
    return answer["error"]


# Right answers


def test_games_and_their_limits(client):
    answer = client.get("games").json()
    assert {form["form"] for form in answer["forms"]} >= {"tictactoe", "connect4[:ROWSxCOLS]"}
    assert answer["limits"]["cells"] == api_answers.MAX_CELLS


def test_a_game_is_described(client):
    answer = client.get("game", params={"name": "connect4:4x5"}).json()
    game = inarow.game("connect4:4x5")
    assert answer["lines"] == game.lines.tolist()
    assert answer["moves"] == ["1", "2", "3", "4", "5"]
    assert (answer["shape"], answer["k"], answer["gravity"]) == ([4, 5], 4, True)
    assert (answer["cells"], answer["scoring"]) == (20, False)


def test_players_and_readable_agents_are_listed(client):
    answer = client.get("players").json()
    assert {"perfect", "minimax:DEPTH"} <= {form["form"] for form in answer["forms"]}
    assert answer["agents"] == [{"name": AGENT, "game": "tictactoe", "learner": "td"}]


def test_a_won_position_is_described(post):
    answer = post("position", game="connect4:6x7", moves="1122334")
    assert (answer["outcome"], answer["to_move"], answer["legal_moves"]) == ("first", None, [])
    assert answer["lines"] == [[0, 1, 2, 3]]
    assert answer["stones"][:8] == [1, 1, 1, 1, 0, 0, 0, 2]
    assert (answer["ply"], answer["score"]) == (7, [1, 0])


def test_values_of_the_empty_connect4_board(post):
    exact = post("values", game="connect4:6x7")["exact"]
    assert [move["score"] for move in exact["moves"]] == [-2, -1, 0, 1, 0, -1, -2]
    assert exact["best"] == ["4"]
    assert exact["moves"][3] == {"move": "4", "value": 1, "stones": 41, "score": 1}


@pytest.mark.parametrize(
    ("game", "moves"),
    [("tictactoe", ""), ("tictactoe", "22 12"), ("connect4:4x5", "3324"), ("mnk:3x4x3", "11 22")],
)
def test_scores_are_the_solvers(post, game, moves):
    found = inarow.solve(inarow.game(game).position(moves)).moves
    exact = post("values", game=game, moves=moves)["exact"]
    assert [move["score"] for move in exact["moves"]] == list(found.values())


def test_where_lines_are_counted_there_is_no_score(post):
    answer = post("values", game="board:2x2x2,k=2,gravity,scoring", moves="11")
    assert {move["score"] for move in answer["exact"]["moves"]} == {None}


def test_no_exact_values_where_they_would_take_long(post):
    assert post("values", game="mnk:19x19x5")["exact"] is None


def test_the_opinion_of_a_saved_agent(post, agents):
    estimate = post("values", game="tictactoe", moves="22", player=AGENT)["estimate"]
    position = inarow.game("tictactoe").position("22")
    values = player(str(agents / AGENT)).values(position)
    assert [move["value"] for move in estimate["moves"]] == list(values.values())
    best = max(estimate["moves"], key=lambda move: move["value"])["move"]
    assert (estimate["by"], best in estimate["best"]) == (AGENT, True)


def test_who_holds_no_opinion_gives_none(post):
    assert post("values", game="tictactoe", player="random")["estimate"] is None


@pytest.mark.parametrize("moves", ["", "4453", "444443", "12345671"])
def test_minimax_plays_as_everywhere(post, moves):
    position = inarow.game("connect4:6x7").position(moves)
    expected = ask(bind_player(player("minimax:5"), position.game, make_stream(0)), position)
    answer = post("move", game="connect4:6x7", moves=moves, player="minimax:5")
    assert int(answer["move"]) - 1 == expected
    values = post("values", game="connect4:6x7", moves=moves, player="minimax:5")["estimate"]
    assert answer["move"] == values["best"][0]


def test_perfect_plays_only_perfect_moves_and_all_of_them(post):
    position = inarow.game("tictactoe").position("11 22")
    best = {
        position.game.position("11 22").legal_moves.index(m)
        for m in perfect_moves(position, "best")
    }
    chosen = {
        post("move", game="tictactoe", moves="11 22", player="perfect", seed=seed)["move"]
        for seed in range(60)
    }
    legal = post("position", game="tictactoe", moves="11 22")["legal_moves"]
    assert chosen == {legal[number] for number in best}


def test_a_seed_gives_the_same_move_again_and_another_may_not(post):
    question = {"game": "mnk:9x9x5", "player": "random", "moves": "55"}
    answers = [[post("move", **question, seed=s)["move"] for s in range(8)] for _ in range(2)]
    assert answers[0] == answers[1]
    assert len(set(answers[0])) > 4


def test_the_move_is_on_the_board_of_the_answer(post):
    answer = post("move", game="cube", moves="11 12", player="benchmark", seed=3)
    assert answer["position"]["ply"] == 3
    assert answer["position"]["stones"][answer["cell"]] == 1
    assert answer["position"]["moves"] == f"11 12 {answer['move']}"


@pytest.mark.parametrize(
    ("game", "player"),
    [
        ("connect4:6x7", "shipped:connect4:6x7:small"),
        ("mnk:15x15x5", "shipped:mnk:15x15x5"),
        ("ntictactoe:3^4", "shipped:ntictactoe:3^4"),
    ],
)
def test_shipped_agents_are_asked_by_their_names(post, game, player):
    assert post("move", game=game, player=player)["player"] == player


def test_a_player_for_the_server_alone_is_told_from_one_that_is_nobody(client):
    for name, status in (("minimax:4/0.5s", 409), ("nosuch", 422), ("random", 200)):
        asked = {"game": "connect4:6x7", "player": name}
        assert client.get("package", params=asked).status_code == status


def test_a_saved_agent_plays(post):
    answer = post("move", game="tictactoe", moves="11 22", player=AGENT)
    assert answer["position"]["ply"] == 3


def test_a_position_is_solved(post):
    answer = post("solve", game="connect4:6x7", moves="4453")
    found = inarow.solve("connect4:6x7", "4453")
    assert (answer["value"], answer["score"]) == (found.value, found.score)
    scores = {move["move"]: move["score"] for move in answer["moves"]}
    assert scores == {move_text(found.game, move): score for move, score in found.moves.items()}
    assert answer["best"] == [move for move, score in scores.items() if score == found.score]
    assert answer["position"]["moves"] == "4453"
    assert answer["basis"] == ["the book"]


def test_what_is_not_solved_in_time_has_bounds(post):
    answer = post("solve", game="connect4:8x8", seconds=0.05)
    assert (answer["value"], answer["score"], answer["best"]) == (None, None, [])
    assert -1 <= answer["low"] < answer["high"] <= 1
    assert answer["published"].startswith("Published: the second player wins")
    assert post("solve", game="connect4:8x8", moves="4", seconds=0.05)["published"] is None


def test_a_winner_without_a_distance_has_no_score(post):
    answer = post("solve", game="qubic", seconds=0.5)
    assert (answer["value"], answer["stones"], answer["score"]) == (1, None, None)
    assert "the stored strategy" in answer["basis"]


def test_where_lines_are_counted_the_solved_have_no_score(post):
    answer = post("solve", game="board:2x2x2,k=2,gravity,scoring", moves="11")
    assert answer["value"] in (-1, 0, 1)
    assert {answer["score"], *(move["score"] for move in answer["moves"])} == {None}


@pytest.mark.parametrize(
    ("game", "moves"),
    [("tictactoe", "22 12 21 23 11 33 31"), ("connect4:6x7", "4453"), ("tictactoe", "")],
)
def test_a_game_is_analysed(post, game, moves):
    answer = post("analyse", game=game, moves=moves)
    expected = inarow.analyse(game, moves).as_json()
    assert expected.pop("players") is None
    assert answer == expected


def test_the_time_for_a_game_is_that_of_all_its_positions(post, monkeypatch):
    given = list[float]()
    step = api_answers.Analyser.step

    def watched(self):
        given.append(self.seconds * self.left)
        step(self)

    monkeypatch.setattr(api_answers.Analyser, "step", watched)
    post("analyse", game="tictactoe", moves="22 12 21", seconds=0.5)
    assert len(given) == 4
    assert all(seconds <= 0.5 for seconds in given)
    assert sorted(given, reverse=True) == given


# Refusals


@pytest.mark.parametrize(
    ("path", "question", "words"),
    [
        ("solve", {"game": "tictactoe", "moves": "11 21 12 22 13"}, "is over"),
        ("solve", {"game": "tictactoe", "seconds": 0}, "seconds"),
        ("solve", {"game": "tictactoe", "seconds": 60}, "seconds"),
        ("analyse", {"game": "tictactoe", "seconds": "1"}, "seconds"),
        ("analyse", {"game": "tictactoe", "moves": "22 22"}, "is taken"),
        ("analyse", {"game": "mnk:30x30x5"}, f"at most {api_answers.MAX_CELLS}"),
        ("analyse", {"game": "board:1x120,k=5,gravity", "moves": LONG}, "too many to analyse"),
    ],
)
def test_a_search_that_does_not_work(refuse, path, question, words):
    status, line = refuse(path, **question)
    assert (status, words in line) == (422, True), line


def test_the_paths_for_pages_of_other_origins_are_those_of_the_schema(client):
    listed = client.get("openapi.json").json()["paths"]
    pages_of_it = {"/api", "/api/", "/api/openapi.json"}
    assert {f"/api{path}" for path in listed} | pages_of_it == api.PROGRAM_PATHS


def test_the_list_as_json(client):
    listed = client.get("", headers={"Accept": "application/json"}).json()
    assert "POST /api/analyse" in [one["request"] for one in listed["requests"]]


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ({"game": "mnk:1000x1000x5"}, "at most 4096"),
        ({"game": "mnk:30x30x5"}, f"at most {api_answers.MAX_CELLS}"),
        ({"game": "ntictactoe:9^9"}, "too large"),
        ({"game": "chess"}, "the games are"),
        ({"game": " tictactoe"}, "not written as"),
        ({"game": "tictactoe", "moves": "22 22"}, "is taken"),
        ({"game": "tictactoe", "moves": "44"}, "not a move"),
        ({"game": "tictactoe", "moves": "a1"}, "digits"),
        ({"game": "tictactoe", "moves": "1" * 4001}, "4000"),
        ({"game": "tictactoe", "surprise": 1}, "surprise"),
        ({"moves": ""}, "game"),
        ({"game": 7}, "string"),
    ],
)
def test_a_position_that_does_not_work(refuse, question, words):
    status, line = refuse("position", **question)
    assert status == 422
    assert words in line


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ({"game": "tictactoe", "moves": "11 21 12 22 13"}, "is over"),
        ({"game": "tictactoe", "player": "nobody"}, "unknown player"),
        ({"game": "cube", "player": "perfect"}, "too long"),
        ({"game": "connect4:6x7", "player": "minimax:40"}, "too long"),
        ({"game": "connect4:6x7", "player": "minimax:40/60s"}, "too long"),
        ({"game": "connect4:6x7", "player": "ntuple:12"}, "too long"),
        ({"game": "tictactoe", "player": "ntuple"}, "plays connect4:6x7"),
        ({"game": "connect4:6x7", "player": AGENT}, "plays tictactoe"),
        (
            {"game": "tictactoe", "player": "bad.safetensors"},
            "bad.safetensors is not a saved agent",
        ),
        ({"game": "tictactoe", "player": "random", "seed": -1}, "seed"),
        ({"game": "tictactoe", "player": "random", "seed": "1"}, "seed"),
        ({"game": "tictactoe", "player": "random", "seed": 2**63}, "seed"),
    ],
)
def test_a_move_that_does_not_work(refuse, question, words):
    status, line = refuse("move", **{"player": "random", **question})
    assert status == 422
    assert words in line


@pytest.mark.parametrize(
    "name",
    [
        "../secret.safetensors",
        "..%2Fsecret.safetensors",
        "..\\secret.safetensors",
        "/etc/passwd.safetensors",
        ".hidden.safetensors",
        "agents/../../secret.safetensors",
        "secret.safetensors",
        "secret.safetensors\0",
    ],
)
def test_no_name_reaches_a_file_outside_the_folder(refuse, name):
    status, line = refuse("move", game="tictactoe", player=name)
    assert status in (404, 422)
    assert "no saved agent" in line or "not written" in line


def test_a_search_that_takes_too_long_is_refused_and_not_cut_short(monkeypatch):
    position = inarow.game("mnk:9x9x5").position("55")
    monkeypatch.setattr(api_answers, "SECONDS", 1e-9)
    with pytest.raises(inarow.InputError, match=r"takes more than .* depth 1 was reached"):
        api_answers._search(player("minimax:5"), position)


def test_bodies_that_are_no_question(client):
    headers = {"Content-Type": "application/json"}
    for body, status in [
        (b"", 422),
        (b"{", 400),
        (b"\xff\xfe", 400),
        (b"[" * 10_000, 400),
        (b'{"seed":' + b"9" * 6_000 + b"}", 400),
        (b'{"game": "\\ud800", "player": "random"}', 422),
        (b'{"game": NaN, "player": "random"}', 422),
        (b" " * (api_answers.MAX_BODY + 1), 413),
    ]:
        response = client.post("move", content=body, headers=headers)
        assert (response.status_code, bool(the_line(response))) == (status, True), body[:20]


def test_what_does_not_say_that_it_is_json(client):
    response = client.post("move", content=b'{"game": "tictactoe", "player": "random"}')
    assert response.status_code == 400
    assert "Content-Type: application/json" in the_line(response)


def test_the_page_that_lists_what_there_is(address):
    response = httpx.get(address, follow_redirects=True)
    assert response.status_code == 200
    assert "POST /api/move" in response.text
    assert f"curl -s {address}/move" in response.text


def test_a_long_body_in_pieces_is_not_read_to_its_end(client):
    taken = []

    def pieces():
        for number in range(10_000):
            taken.append(number)
            yield b" " * 10_000

    try:
        # By a connection of its own, since the server closes it.
        headers = {"Content-Type": "application/json"}
        response = httpx.post(f"{client.base_url}move", content=pieces(), headers=headers)
        assert (response.status_code, response.headers["connection"]) == (413, "close")
    except httpx.TransportError:  # the server may hang up before all is sent
        pass
    assert httpx.get(f"{client.base_url}games").status_code == 200  # by a connection of its own


def test_paths_and_methods_that_are_not_there(client):
    assert "GET /api lists" in the_line(client.get("nothing"))
    response = client.delete("move")
    assert (response.status_code, response.headers["allow"]) == (405, "POST")
    assert "DELETE /api/move" in the_line(response)


def test_too_many_questions_at_once_are_refused():
    async def scenario():
        queue, gate = Pool("some", 1, most=3), threading.Event()
        waiting = [asyncio.create_task(queue.ask(gate.wait, 10)) for _ in range(3)]
        await asyncio.sleep(0)
        with pytest.raises(FullError, match="3 questions are being thought about"):
            await queue.ask(gate.wait, 10)
        waiting[0].cancel()  # hanging up frees no place: the work goes on
        await asyncio.sleep(0)
        assert queue.waiting == 3
        gate.set()
        assert await asyncio.gather(*waiting[1:]) == [True, True]
        await asyncio.sleep(0.01)
        return queue.waiting

    assert asyncio.run(scenario()) == 0


def test_a_refusal_says_when_to_ask_again(client, monkeypatch):
    monkeypatch.setattr(pools.Pool, "ask", refusing)
    response = client.post("position", json={"game": "tictactoe"})
    assert (response.status_code, response.headers["Retry-After"]) == (429, "1")


async def refusing(*_):
    raise FullError("too many")


def test_a_slow_question_keeps_no_other_waiting(client, monkeypatch):
    gate = threading.Event()
    monkeypatch.setattr(api_answers.move_values, "exact", lambda position: gate.wait(20) and None)
    slow = threading.Thread(target=client.post, args=("values",), kwargs={"json": {"game": "cube"}})
    slow.start()
    try:
        assert client.post("move", json={"game": "cube", "player": "random"}).status_code == 200
        assert slow.is_alive()
    finally:
        gate.set()
        slow.join()


def test_a_question_is_not_waited_for_without_end(client, monkeypatch):
    gate = threading.Event()
    monkeypatch.setattr(pools, "MOST_SECONDS", 0.2)
    monkeypatch.setattr(api.answers, "describe_position", lambda _: gate.wait())
    try:
        response = client.post("position", json={"game": "tictactoe"})
    finally:
        gate.set()
    assert response.status_code == 503
    assert response.json() == {"error": "no answer after 0.2 s: ask later"}


def test_what_fails_inside_is_one_line_too(client, monkeypatch):
    monkeypatch.setattr(api_answers, "_describe", lambda position: 1 / 0)
    response = client.post("position", json={"game": "tictactoe"})
    assert response.status_code == 500
    assert "ZeroDivisionError" in the_line(response)


# The page of the documentation

DOCUMENT = (Path(__file__).parents[3] / "docs" / "how-to" / "serve.md").read_text()
EXAMPLES_OF_USE = re.findall(r"```sh\n(.*?)```\n\n```json\n(.*?)```", DOCUMENT, re.DOTALL)


@pytest.mark.parametrize(("command", "expected"), EXAMPLES_OF_USE)
def test_an_example_of_the_documentation(client, command, expected):
    assert DOCUMENT.count("```sh") == len(EXAMPLES_OF_USE) >= 5
    words = shlex.split(command)
    path = next(word for word in words if word.startswith("http")).split("/api/")[1]
    if "-d" in words:
        response = client.post(path, json=json.loads(words[words.index("-d") + 1]))
    else:
        response = client.get(path)
    assert response.json() == json.loads(expected)


def test_its_pictures_exist():
    pictures = re.findall(r'src="([^"]+)"', DOCUMENT)
    assert len(pictures) >= 5
    for picture in pictures:
        size = (Path(__file__).parents[3] / "docs" / "how-to" / picture).stat().st_size
        assert 5_000 < size <= 150_000, picture


# The schema, and whatever else can be thought of


def test_the_schema_documents_every_part(client):
    document = client.get("openapi.json").json()
    assert document["servers"] == [{"url": "/api"}]
    operations = [op for path in document["paths"].values() for op in path.values()]
    assert all(operation["summary"] for operation in operations)
    assert "HTTPValidationError" not in json.dumps(document)
    page = client.get("/").text
    assert all(f"/api{path}" in page for path in document["paths"])


def test_the_page_loads_nothing_from_elsewhere(client):
    page = client.get("/").text
    assert set(re.findall(r"<script[^>]*>", page)) == {
        '<script type="module" src="/static/theme.js">'
    }
    assert "https://" not in page


@settings(max_examples=50, derandomize=True, deadline=None, database=None)
@given(data=strategies.data())
def test_any_small_board_is_answered_alike_by_all(data):
    sides = data.draw(strategies.lists(strategies.integers(1, 4), min_size=1, max_size=3))
    options = [f"k={data.draw(strategies.integers(1, max(sides)))}"]
    options += data.draw(strategies.sampled_from([[], ["gravity"], ["scoring"], ["misere"]]))
    options += data.draw(strategies.sampled_from([[], ["wrap"]] if len(sides) > 1 else [[]]))
    name = ",".join([f"board:{'x'.join(map(str, sides))}", *options])
    position = inarow.game(name).position()
    for _ in range(data.draw(strategies.integers(0, position.game.cells))):
        if position.outcome is None:
            position.push(data.draw(strategies.sampled_from(position.legal_moves)))
    question = {"game": name, "moves": position.notation, "player": "minimax:3"}
    if position.outcome is not None:
        with pytest.raises(inarow.InputError, match="is over"):
            api_answers.choose_move(MoveQuestion(**question), find)
        return
    values = api_answers.find_values(ValuesQuestion(**question), find)
    chosen = api_answers.choose_move(MoveQuestion(**question), find)
    legal = values.position.legal_moves
    assert legal == [move_text(position.game, move) for move in position.legal_moves]
    assert [move.move for move in values.estimate.moves] == legal
    assert chosen.move == values.estimate.best[0]
    if values.exact is not None:
        assert [move.move for move in values.exact.moves] == legal
        check_exact_after(chosen, values.exact)


def check_exact_after(chosen, exact):
    """The value of a move is the negative of the best value after it."""
    value = next(move.value for move in exact.moves if move.move == chosen.move)
    after = chosen.position
    if after.outcome is not None:
        assert value == {"draw": 0}.get(
            after.outcome, 1 if after.outcome == MOVER[after.ply] else -1
        )
        return
    question = ValuesQuestion(game=after.game, moves=after.moves)
    found = api_answers.find_values(question, find).exact
    if found is not None:
        assert value == -max(move.value for move in found.moves)


MOVER = {ply: ("second", "first")[ply % 2] for ply in range(65)}  # who placed the last stone

generation = GenerationConfig(max_examples=EXAMPLES, deterministic=True, database="none")
project = ProjectConfig(generation=generation)
schema = schemathesis.openapi.from_dict(
    api.make_api(Site(Path("unused"))).openapi(),
    config=SchemathesisConfig(projects=ProjectsConfig(default=project)),
)


@schema.parametrize()
def test_no_question_brings_it_down(case, address):
    # A schema cannot say which moves are legal: a refusal of what it allows is no failure.
    case.call_and_validate(base_url=address, excluded_checks=[positive_data_acceptance])
