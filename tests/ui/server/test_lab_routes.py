"""Runs, arenas, agent files and packages of a visitor, asked as the pages ask."""

import json
import time

import httpx
import pytest

import inarow
from inarow.learn.saved import unpack
from inarow.ui.server import lab_routes, packages
from tests.ui.server.live import serving

RUN = {"game": "tictactoe", "learner": "td", "games": 500, "seed": 1, "runs": 1}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("agents")
    inarow.train("tictactoe", "q", games=200, seed=1).save(folder / "saved.safetensors")
    (folder / "study.db").write_bytes(b"somebody's results")
    return folder


@pytest.fixture(scope="module")
def address(folder):
    with serving(folder) as address:
        yield address


@pytest.fixture
def visitor(address):
    with httpx.Client(base_url=address, timeout=120) as client:
        client.get("/train")  # which gives the cookie
        yield client


def ask(client, path, body=None, **parameters):
    """The answer to a question that works."""
    if body is None:
        answer = client.get(f"/api/{path}", params=parameters)
    else:
        answer = client.post(f"/api/{path}", json=body, params=parameters)
    assert answer.status_code == 200, answer.text
    return answer.json()


def refusal(answer, status=422):
    assert answer.status_code == status
    assert list(answer.json()) == ["error"]
    (line,) = answer.json()["error"].splitlines()
    return line


def follow(client, path, until):
    """What events have told when `until` holds: the last of each run, or the arena."""
    runs, told = {}, {}
    with client.stream("GET", f"/api/{path}") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        end = time.monotonic() + 300
        for line in stream.iter_lines():
            assert time.monotonic() < end
            if line.startswith("data: "):
                told = json.loads(line.removeprefix("data: "))
                for run in told.get("runs", ()):
                    points = runs.get(run["number"], {}).get("points", [])[: run["from"]]
                    runs[run["number"]] = {**run, "points": points + run["points"]}
                if until(runs or told):
                    return runs or told
    raise AssertionError("the stream has ended")


def done(runs):
    return runs and all(run["state"] in ("done", "stopped", "failed") for run in runs.values())


def test_a_run_from_its_form_to_its_agent(visitor, folder):
    assert ask(visitor, "runs", {**RUN, "runs": 2, "options": {"alpha": "0.5"}}) == {"runs": [1, 2]}
    runs = follow(visitor, "runs/events", done)
    assert list(runs) == [1, 2]
    run = runs[1]
    assert run["name"] == "td learns tictactoe against attack-defense, seed 1, alpha=0.5"
    assert (
        run["title"] == "Backward TD learns Tic-tac-toe against Attack defense, seed 1, alpha 0.5"
    )
    assert (run["games"], run["state"], run["error"]) == (500, "done", "")
    assert "After 500 games, as second against Random moves: won" in run["outcome"]
    assert [point[0] for point in run["points"]] == run["looks"]
    assert run["points"][0][5] is None
    wanted = inarow.train("tictactoe", "td", "attack-defense", 500, 1, alpha="0.5")
    agent = visitor.get("/api/runs/1/agent")
    assert "td-tictactoe-seed1-500.safetensors" in agent.headers["content-disposition"]
    assert agent.content == wanted.state()
    assert ask(visitor, "runs/1/certify", {}) == {}
    (first, second) = follow(visitor, "runs/events", done)[1]["certificate"]["lines"]
    assert first["text"].startswith("As second: ")
    assert second["text"].startswith("As first, where it never trained: ")
    saved = ask(visitor, "runs/1/save", {})
    assert saved["game"] == "tictactoe"
    assert (folder / saved["name"]).read_bytes() == wanted.state()
    assert visitor.get(f"/api/agents/{saved['name']}").content == wanted.state()
    assert ask(visitor, "runs/1/more", {}) == {}
    assert follow(visitor, "runs/events", done)[1]["games"] == 1000
    assert visitor.get("/api/runs/curves.csv").text.count("\n") > 10
    assert "no run 2" not in visitor.post("/api/runs/2/remove", json={}).text
    assert refusal(visitor.post("/api/runs/2/stop", json={})) == "there is no run 2"
    (folder / saved["name"]).unlink()


def test_what_it_has_learned(visitor):
    ask(visitor, "runs", RUN)
    follow(visitor, "runs/events", done)
    seen = ask(visitor, "runs/1/learned")
    assert seen["title"] == "After 22: O to move."
    assert len(seen["values"]) == 8
    assert seen["verdict"].startswith("Plays ")
    assert "mistake" in seen["mistake"].lower()
    assert ask(visitor, "runs/1/learned", moves="11")["title"] == "After 11: O to move."
    assert "cell 11 is taken" in refusal(visitor.get("/api/runs/1/learned?moves=11%2011"))
    early = ask(visitor, "runs/1/looks/0")
    assert early["games"] == 0
    assert early["game"]["cells"]


def test_an_earlier_moment_has_any_position(visitor):
    ask(visitor, "runs", RUN)
    run = follow(visitor, "runs/events", done)[1]
    number = len(run["looks"]) // 2
    games = run["looks"][number]
    for moves in ("11", "11 22 33"):
        seen = ask(visitor, f"runs/1/looks/{number}", moves=moves)
        agent = inarow.train("tictactoe", "td", "attack-defense", games, 1).agent
        position = inarow.game("tictactoe").position(moves)
        wanted = {position.cell_of(m): f"{v:+.2f}" for m, v in agent.values(position).items()}
        assert {cell: text for cell, text, _ in seen["values"]} == wanted
        assert seen["games"] == games
        assert seen["game"]["cells"]
    usual = ask(visitor, f"runs/1/looks/{number}")
    assert usual["values"] == ask(visitor, f"runs/1/looks/{number}", moves="22")["values"]
    assert "cell 11 is taken" in refusal(visitor.get("/api/runs/1/looks/0?moves=11%2011"))


def test_a_run_is_stopped_and_resumed(visitor):
    ask(visitor, "runs", {**RUN, "games": 1_000_000_000})
    follow(visitor, "runs/events", lambda runs: runs[1]["games"] > 0)
    ask(visitor, "runs/1/stop", {})
    stopped = follow(visitor, "runs/events", done)[1]
    assert stopped["state"] == "stopped"
    assert "resume" in stopped["actions"]
    ask(visitor, "runs/1/resume", {})
    follow(visitor, "runs/events", lambda runs: runs[1]["games"] > stopped["games"])
    assert refusal(visitor.post("/api/runs/1/resume", json={})) == "this run is not stopped"
    ask(visitor, "runs/1/remove", {})


def test_a_saved_agent_is_trained_further(visitor):
    assert ask(visitor, "runs/resume", {"agent": "saved.safetensors", "games": 400}) == {
        "runs": [1]
    }
    follow(visitor, "runs/events", done)
    header, _ = unpack(visitor.get("/api/runs/1/agent").content, "agent")
    assert (header.learner, header.games) == ("q", 400)
    for agent, games, line in (
        ("saved.safetensors", 200, "already trained for 200 games"),
        ("../saved.safetensors", 400, "is not the name of a file"),
        ("none.safetensors", 400, "there is no agent"),
    ):
        question = {"agent": agent, "games": games}
        assert line in refusal(visitor.post("/api/runs/resume", json=question))


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"game": "chess"}, "unknown game"),
        ({"game": "mnk:40x40x5"}, "too many for a page"),
        ({"learner": "nobody"}, "unknown learner"),
        ({"runs": 9}, "start 1 to 8 runs"),
        ({"games": 0}, "the number of games must be between 1"),
        ({"games": 10**40}, "games"),
        ({"against": "perfectly"}, "is not possible here"),
        ({"options": {"alpha": "quick"}}, "option alpha"),
        ({"options": {"nothing": 1}}, "has no option 'nothing'"),
        ({"more": 1}, "more"),
        ({"seed": "x"}, "seed"),
    ],
)
def test_wrong_orders_are_one_line(visitor, changes, line):
    assert line in refusal(visitor.post("/api/runs", json={**RUN, **changes}))


def test_others_do_not_see_it(visitor, address):
    ask(visitor, "runs", RUN)
    with httpx.Client(base_url=address, timeout=60) as other:
        other.get("/train")
        assert refusal(other.get("/api/runs/1/agent")) == "there is no run 1"
        forged = {"session": "eyJpZCI6ICJ4In0=.aaaa.bbbb"}
        answer = httpx.get(f"{address}/api/runs/1/agent", cookies=forged)
        assert refusal(answer) == "there is no run 1"


def test_no_other_file_is_handed_out(visitor):
    for name in ("study.db", ".visitors", "secret", "..%2Fsaved.safetensors"):
        assert visitor.get(f"/api/agents/{name}").status_code in (404, 422)
    assert visitor.get("/api/agents/saved.safetensors").status_code == 200


def test_an_arena_and_its_games(visitor):
    players = ["random", "attack", "perfect"]
    ask(visitor, "arena", {"game": "tictactoe", "players": players, "games": 4, "seed": 5})
    told = follow(visitor, "arena/events", lambda told: told.get("state", "").endswith("games."))
    wanted = inarow.arena("tictactoe", players, 4, seed=5)
    assert [row["name"] for row in told["rows"]] == wanted.ranking
    assert told["share"] == 1
    for row in told["rows"]:
        assert row["score"] == f"{wanted.total(row['name']).score:.1%}"
    game = ask(visitor, "arena/game", one="random", other="perfect", number=4)
    position = inarow.game("tictactoe").position(game["notation"])
    assert [position.outcome is None, len(game["cells"])] == [False, position.ply]
    assert "X Perfect play, O Random moves" in game["sides"]
    assert all(ply == position.ply for ply, _, _ in game["lines"])
    for number in (0, 5, 10**9):
        question = {"one": "random", "other": "attack", "number": number}
        assert "no game" in refusal(visitor.get("/api/arena/game", params=question))
    wrong = {"game": "tictactoe", "players": ["random"], "games": 4, "seed": 1}
    assert "2 to 10 players" in refusal(visitor.post("/api/arena", json=wrong))


def test_own_agent_files(visitor):
    agent = inarow.train("tictactoe", "td", "random", 300, seed=3).state()
    loaded = visitor.post("/api/uploads", params={"name": "C:\\mine.safetensors"}, content=agent)
    assert loaded.json() == {"name": "mine.safetensors", "game": "tictactoe"}
    listed = ask(visitor, "opponents", game="tictactoe")["opponents"]
    assert listed[0]["player"] == "mine.safetensors"
    assert ask(visitor, "package", game="tictactoe", player="mine.safetensors")["player"]
    question = {"game": "tictactoe", "moves": "", "player": "mine.safetensors"}
    assert ask(visitor, "move", question)["move"]
    players = ["random", "mine.safetensors"]
    ask(visitor, "arena", {"game": "tictactoe", "players": players, "games": 2, "seed": 1})
    follow(visitor, "arena/events", lambda told: told.get("state", "").endswith("games."))
    ask(visitor, "runs/resume", {"agent": "mine.safetensors", "games": 600})
    assert follow(visitor, "runs/events", done)[1]["games"] == 600
    for content in (b"", b"nonsense", agent[:-9], agent.replace(b"tictactoe", b"cube     ")):
        answer = visitor.post("/api/uploads", params={"name": "bad"}, content=content)
        refusal(answer)
    refusal(visitor.post("/api/uploads", params={"name": "big"}, content=bytes(2**25 + 1)), 413)
    assert refusal(visitor.post("/api/uploads", params={"name": "/"}, content=agent))
    with httpx.Client(base_url=str(visitor.base_url), timeout=60) as other:
        other.get("/")
        answer = other.post("/api/move", json=question)
        assert answer.status_code == 404


def test_packages_are_whole_and_kept(visitor, address):
    question = {"game": "connect4:6x7", "player": "minimax:4"}
    package = ask(visitor, "package", **question)
    assert package["player"]["name"] == "minimax:4"
    assert package["game"]["name"] == "connect4:6x7"
    for file, version in package["engine"]["versions"].items():
        answer = visitor.get("/api/package", params={**question, "file": file, "v": version})
        assert answer.status_code == 200
        assert "immutable" in answer.headers["cache-control"]
        old = visitor.get("/api/package", params={**question, "file": file, "v": "0"})
        assert "immutable" not in old.headers["cache-control"]
    two = httpx.get(f"{address}/api/package", params={"game": "mnk:4x5x3"}).json()
    assert two["player"] is None
    for wrong in (
        {"game": "chess"},
        {"game": "mnk:99x99x5"},
        {"game": "tictactoe", "player": "nobody"},
        {"game": "tictactoe", "player": "random", "file": "../../etc/passwd"},
        {"game": "cube", "player": "mine.safetensors"},
    ):
        refusal(visitor.get("/api/package", params=wrong))
    of_python = {"game": "tictactoe", "player": "level:3"}  # that only the server can ask
    refusal(visitor.get("/api/package", params=of_python), 409)


def test_what_is_kept_of_packages_is_bounded():
    kept = packages._Kept(10)
    made = [packages.Package({}, None, {}, {"rules": bytes(4)}, b"") for _ in range(3)]
    for number, package in enumerate(made):
        kept.add(number, package)
    assert kept.get(0) is None
    assert kept.get(2) is made[2]


def test_boards_are_put_together(address):
    def ask_builder(**parts):
        return httpx.get(f"{address}/api/builder", params=parts)

    parts = {"shape": "4,5", "k": "3", "wrap": "1", "gravity": "true"}
    made = ask_builder(**parts).json()
    assert "gravity" in made["name"]
    assert made["sides"] == ["Height", "Columns"]
    again = ask_builder(name=made["name"]).json()
    assert again == made
    assert "a draw" in ask_builder(name="tictactoe").json()["facts"]
    for wrong in ({"shape": "x", "k": "3"}, {"shape": "3,3"}, {"name": "chess"}, {}):
        refusal(ask_builder(**wrong))
    assert "too many" in refusal(ask_builder(shape="40,40", k="3"))


def test_conditions_of_papers(visitor):
    found = ask(visitor, "papers/hybrid/conditions")
    assert found[0]["address"].startswith("/train?game=tictactoe&learner=td")
    refusal(visitor.get("/api/papers/nothing/conditions"))


def test_streams_end_with_the_server(tmp_path):
    with serving(tmp_path) as address, httpx.Client(base_url=address, timeout=30) as client:
        client.get("/train")
        with client.stream("GET", "/api/runs/events") as stream:
            next(stream.iter_lines())
            begun = time.monotonic()
        assert time.monotonic() - begun < 10


def test_only_visitors_have_an_id(address):
    answer = httpx.get(f"{address}/api/games")
    assert "set-cookie" not in answer.headers
    assert "set-cookie" in httpx.get(f"{address}/").headers
    assert lab_routes.EVERY < 1
