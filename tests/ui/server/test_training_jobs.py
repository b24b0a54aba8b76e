"""Training in the background: curves that end as the run does, stopped, resumed, saved, proven."""

import csv
import json
import re
import time
from contextlib import nullcontext

import pytest

from inarow.game import InputError, game
from inarow.game.position import move_text
from inarow.graph.graph import graph_of
from inarow.lab.evaluation import evaluate
from inarow.lab.players.names import player, rule_players_for
from inarow.lab.players.policies import policies_of
from inarow.lab.plots.plot import plot
from inarow.lab.training.run import Run, load_run, train
from inarow.learn.registry import BUILT_IN
from inarow.ui.server import earlier, run_files
from inarow.ui.server import run_jobs as training_jobs
from inarow.ui.server.curve_export import export
from inarow.ui.server.curves import Evaluation, exact_outcomes, plan, possible_testers
from inarow.ui.server.earlier import agent_at
from inarow.ui.server.jobs import JobQueue, State
from inarow.ui.server.kept import KeptRun
from inarow.ui.server.learned import describe_learned, describe_look, usual_position
from inarow.ui.server.orders import ITSELF, Order, saved_order, saved_run, trainers_for
from inarow.ui.server.run_jobs import TrainingJob
from inarow.ui.server.runs import MOST_RUNS, TrainingRuns
from inarow.ui.server.visitor_files import VisitorFiles

TICTACTOE = game("tictactoe")


def order(games=2000, seed=1, learner="td", against="attack-defense", **options) -> Order:
    return Order(TICTACTOE, learner, options, against, games, seed, "random")


@pytest.fixture
def queue():
    queue = JobQueue(2)
    yield queue
    queue.close()


def wait(*jobs: TrainingJob, until=lambda job: not job.is_active) -> None:
    end = time.monotonic() + 300  # the first run compiles
    while not all(until(job) for job in jobs):
        assert time.monotonic() < end, [(job.state, job.games) for job in jobs]
        time.sleep(0.01)
    for job in jobs:
        with job.between_turns():  # its state is said before it is written down
            pass


def test_several_runs_reach_their_ends(queue):
    runs = TrainingRuns(queue)
    jobs = [runs.start(order(seed=seed)) for seed in (1, 2, 3)]
    assert runs.busy
    wait(*jobs)
    assert not runs.busy
    for job in jobs:
        assert (job.state, job.error) == (State.DONE, "")
        assert [point.games for point in job.points] == plan(0, 2000)
        expected = train("tictactoe", "td", "attack-defense", 2000, job.order.seed)
        assert job.run.state() == expected.state()
        chances = evaluate(expected.agent, "exact:random", 0)
        lost = chances["chance lost as second against random"]  # where it learned
        assert job.points[-1].outcomes.lost == pytest.approx(lost)
        assert job.points[-1].outcomes.sampled == 0
        shares = [point.training_lost for point in job.points[1:]]
        gaps = [b.games - a.games for a, b in zip(job.points, job.points[1:], strict=False)]
        counted = sum(share * gap for share, gap in zip(shares, gaps, strict=True))
        assert counted == pytest.approx(int(expected.training.counts[3]))


def test_stop_resume_and_more(queue, tmp_path):
    runs = TrainingRuns(queue)
    job = runs.start(order(games=100_000_000))
    wait(job, until=lambda job: job.games > 0)
    job.stop()
    wait(job)
    assert job.state is State.STOPPED
    games = job.games
    assert 0 < games < 100_000_000
    time.sleep(0.1)
    assert job.games == games
    queue.begin(job)
    wait(job, until=lambda job: job.games > games)
    name = job.save(tmp_path)  # in the middle of it
    assert load_run(tmp_path / name).games <= job.games
    job.stop()
    wait(job)
    with pytest.raises(InputError, match="the run has"):
        job.more(job.games)
    queue.begin(job)
    with pytest.raises(InputError, match="this run goes on"):
        job.more(200_000_000)
    job.stop()
    wait(job)

    short = runs.start(order(games=500))
    wait(short)
    short.more(1500)
    wait(short)
    assert short.run.state() == train("tictactoe", "td", "attack-defense", 1500, 1).state()
    assert [point.games for point in short.points] == plan(0, 500) + plan(500, 1500)[1:]
    queue.begin(short)  # from a second window, where it did not look done yet
    wait(short)
    assert (short.state, short.games, short.error) == (State.DONE, 1500, "")


def test_a_proof_of_what_has_learned_since_is_dropped(queue, monkeypatch):
    job = TrainingRuns(queue).start(order(games=10))
    wait(job)
    prove = training_jobs.certify_on_graph

    def slowly(agent, game):
        job.more(20)
        wait(job)
        return prove(agent, game)

    monkeypatch.setattr(training_jobs, "certify_on_graph", slowly)
    assert job.certify() is not None
    assert job.certificate is None


def test_saved_under_a_name_of_its_own(queue, tmp_path):
    runs = TrainingRuns(queue)
    job, other = runs.start(order()), runs.start(order(alpha="0.5"))
    wait(job, other)
    name = job.save(tmp_path / "new")
    assert name == "td-tictactoe-seed1-2000.safetensors"
    assert job.save(tmp_path / "new") == name  # the same bytes: once is enough
    second = other.save(tmp_path / "new")
    assert second == "td-tictactoe-seed1-2000-2.safetensors"
    assert (tmp_path / "new" / name).read_bytes() == job.run.state()
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == [second, name]
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot write into the folder"):
        job.save(tmp_path / "file")


def test_certified(queue):
    runs = TrainingRuns(queue)
    weak, strong = runs.start(order(games=10)), runs.start(order(games=100_000))
    wait(weak, strong)
    assert not weak.certify().sides["second"].unbeatable
    assert weak.certificate is not None
    weak.more(20)
    wait(weak)
    assert weak.certificate is None  # it has learned since
    assert strong.certify().sides["second"].unbeatable
    large = TrainingJob(
        1, Order(game("connect4:6x7"), "line_td", {}, ITSELF, 10, 1, "random"), queue
    )
    assert (weak.can_certify, large.can_certify) == (True, False)
    with pytest.raises(InputError, match=r"42 cells: too large for a proof here.*inarow certify"):
        large.certify()


def test_runs_go_on_from_the_disk(queue, tmp_path):
    """One that was stopped, one killed in the middle, one that is done: as if nothing happened."""
    runs = TrainingRuns(queue, VisitorFiles(tmp_path))
    done, stopped = runs.start(order(games=500)), runs.start(order(games=100_000_000, seed=2))
    removed = runs.start(order(games=10, seed=9))
    wait(done, removed)
    wait(stopped, until=lambda job: len(job.points) > 1)
    stopped.stop()
    wait(stopped)
    runs.remove(removed.number)
    killed = TrainingJob(9, order(games=700, seed=3), queue, VisitorFiles(tmp_path))
    while len(killed.points) < 5:
        killed.turn()
    killed.kept.files.end()  # no state after this: what was told is on the disk, and no more
    told = list(killed.points)

    again = TrainingRuns(queue, VisitorFiles(tmp_path))
    assert list(again.jobs) == [1, 2, 9]
    assert (again.jobs[1].state, again.jobs[2].state) == (State.DONE, State.STOPPED)
    assert [job.points for job in (done, stopped)] == [again.jobs[n].points for n in (1, 2)]
    assert again.jobs[1].run.state() == done.run.state()
    assert again.jobs[2].games == stopped.games
    assert again.jobs[9].points[:5] == told
    wait(again.jobs[9])
    expected = TrainingJob(1, order(games=700, seed=3), queue)
    while expected.turn():
        pass
    assert again.jobs[9].points == expected.points
    assert again.jobs[9].run.state() == expected.run.state()
    assert again.start(order(games=10)).number == 10
    (tmp_path / "run-1.json").write_text("{")  # what cannot be read is left out
    assert list(TrainingRuns(queue, VisitorFiles(tmp_path)).jobs)[:1] == [2]


@pytest.mark.parametrize(
    ("wrong", "line"),
    [
        (order(games=0), "must be between 1 and"),
        (order(seed=-1), "the seed must be a whole number"),
        (order(learner="nobody"), "unknown learner"),
        (order(learner="json:JSONDecoder"), "unknown learner 'json:JSONDecoder'"),
        (order(side="third"), "option side must be one of first, second, both, not 'third'"),
        (
            Order(TICTACTOE, "line_td", {"phases": "10"}, ITSELF, 10, 1, "random"),
            "option phases must be between 1 and 9 on tictactoe, not 10",
        ),
        (order(against=ITSELF), "'itself' is not possible here"),
        (
            Order(game("connect4:5x5"), "td", {}, "random", 10, 1, "random"),
            "25 cells: the limit here is 20. Take ntuple, mlp",
        ),
        (order(nothing=1), "td has no option 'nothing'"),
        (order(alpha="quick"), "option alpha: 'quick' is neither a number nor a schedule"),
        (
            Order(game("connect4:6x7"), "ntuple", {"depth": "20"}, ITSELF, 10, 1, "random"),
            "looks 20 moves ahead takes too long in connect4:6x7",
        ),
        (order(learner="q"), "'attack-defense' is not possible here"),
        (Order(TICTACTOE, "q", {}, ITSELF, 10, 1, "minimax:9"), "'minimax:9' is not possible"),
        (
            Order(game("qubic"), "ntuple", {"tuples": "40000"}, ITSELF, 10, 1, "random"),
            "takes 8 GB of memory on qubic: at most 512 MB work on this server",
        ),
    ],
)
def test_wrong_orders(queue, wrong, line):
    runs = TrainingRuns(queue)
    with pytest.raises(InputError, match=re.escape(line)):
        runs.start(wrong)
    assert not runs.jobs


def test_too_many_and_too_large(queue, monkeypatch):
    runs = TrainingRuns(queue)
    jobs = [runs.start(order(games=10, seed=seed)) for seed in range(MOST_RUNS)]
    with pytest.raises(InputError, match="8 runs at once are the most"):
        runs.start(order())
    wait(*jobs)
    runs.remove(jobs[0].number)
    monkeypatch.setattr(training_jobs, "memory_limit", lambda: 8 * 2**20)
    job = runs.start(order())
    wait(job)
    assert job.state is State.FAILED
    assert "of the 8 MB that there are for it here: remove something" in job.error
    assert job.size == 0
    runs.close()
    assert not runs.jobs


def test_sarsa_plans_as_many_games_as_it_plays():
    job = TrainingJob(1, order(learner="sarsa", games=700), JobQueue(1))
    assert job.order.options == {"episodes": 700}
    assert order(learner="sarsa", episodes=30).checked().options == {"episodes": 30}


@pytest.mark.parametrize("name", BUILT_IN)
def test_whom_a_learner_plays(name):
    """What is offered works, and nothing else does."""
    known = trainers_for(name, TICTACTOE)
    for against, opponent in ((ITSELF, None), ("random", "random")):
        with nullcontext() if against in known else pytest.raises(InputError):
            Run("tictactoe", name, against=opponent)


def test_evaluations_agree():
    """Exactly and by games; and the tester of an tester is the other way round."""
    graph = graph_of(TICTACTOE)
    one, other = (policies_of(player(name), graph) for name in ("combined", "attack"))
    first, second, marks = (
        exact_outcomes(graph, one, other, side) for side in ("first", "second", "both")
    )
    assert marks.won == pytest.approx((first.won + second.won) / 2)
    assert first.won > second.won
    back = exact_outcomes(graph, other, one, "both")
    assert marks.won == pytest.approx(back.lost)
    assert marks.score + back.score == pytest.approx(1)
    combined = player("combined")
    for side, expected in (("first", first), ("second", second), ("both", marks)):
        sampled = Evaluation(TICTACTOE, "attack", side, 3)(combined)
        assert sampled.sampled > 0
        assert sampled.won == pytest.approx(expected.won, abs=4 * (0.25 / sampled.sampled) ** 0.5)
    assert "perfect" in possible_testers(TICTACTOE)
    assert "perfect" not in possible_testers(game("cube"))
    assert set(rule_players_for(game("cube"))) <= set(possible_testers(game("cube")))


def test_where_an_agent_is_evaluated():
    assert order().side == "second"
    assert order(side="first").side == "first"
    assert order(learner="mlp", against=ITSELF).side == "both"
    assert order(learner="mlp").side == "first"
    assert order(learner="q", against=ITSELF).side == "both"


def test_plans():
    assert plan(0, 3) == [0, 1, 2, 3]
    found = plan(1000, 10**6)
    assert (found[0], found[-1]) == (1000, 10**6)
    assert found[1] - found[0] < found[-1] - found[-2]
    assert len(plan(0, 10**9)) < 100
    assert 10 in plan(0, 3_000_000)  # somebody can see it begin


def test_is_active_with_a_saved_agent(queue, tmp_path):
    """The same as `train --resume`, also after a restart; and what cannot go on says so."""
    train("tictactoe", "sarsa", "random", 300, seed=4, episodes=300).save(
        tmp_path / "a.safetensors"
    )
    runs = TrainingRuns(queue, VisitorFiles(tmp_path / "visitor"))
    path = tmp_path / "a.safetensors"
    wanted = saved_order(path, path.name, 900)
    assert (wanted.seed, wanted.against, wanted.options) == (4, "random", {"episodes": 300})
    job = runs.start(wanted, saved_run(path, path.name))
    assert TrainingRuns(queue, VisitorFiles(tmp_path / "visitor")).jobs[1].games == 300
    wait(job)
    whole = train("tictactoe", "sarsa", "random", 900, seed=4, episodes=300)
    assert job.run.state() == whole.state()
    assert [point.games for point in job.points] == plan(300, 900)
    assert job.points[0].training_lost is None
    train("tictactoe", "td", "random", 20).export(tmp_path / "b.safetensors")
    train("tictactoe", "td", "attack@random", 20).save(tmp_path / "c.safetensors")
    for name, games, line in (
        ("a.safetensors", 300, "already trained for 300 games"),
        ("b.safetensors", 99, "holds what the agent plays with only"),
        ("c.safetensors", 99, "'attack@random' is not possible here"),
    ):
        with pytest.raises(InputError, match=re.escape(line)):
            saved_order(tmp_path / name, name, games)


def test_curves_in_the_forms_of_the_command_line(queue, tmp_path):
    runs = TrainingRuns(queue)
    jobs = [runs.start(order(games=700, seed=seed)) for seed in (1, 2)]
    jobs.append(runs.start(order(games=50, learner="q", against=ITSELF)))
    wait(*jobs)
    path = tmp_path / "runs.db"
    path.write_bytes(export(jobs, "db"))
    record = tmp_path / "record.db"
    for seed in (1, 2):
        evaluations = ["score:random:second"]
        train(
            "tictactoe", "td", "attack-defense", 700, seed, record=record, evaluations=evaluations
        )
    ours, theirs = (plot(file, metric="score as second against random") for file in (path, record))
    (ours,), (theirs,) = ours.curves, theirs.curves
    assert (ours.runs, theirs.runs) == (2, 2)
    at = {point[0]: point for point in ours.points}
    common = [point for point in theirs.points if point[0] in at]
    assert len(common) > 1  # what a recording measures is what the page shows
    assert [at[point[0]] for point in common] == common
    shown = {one["metric"]: one for one in json.loads(export(jobs, "json"))}
    assert shown["share lost in training"]["curves"][0]["points"][-1]["games"] == 700
    again = plot(path, metric="score as second against random").as_json()
    assert shown["score as second against random"] == json.loads(json.dumps(again))
    rows = list(csv.DictReader(export(jobs, "csv").decode().splitlines()))
    assert {(row["learner"], row["seed"]) for row in rows} == {("td", "1"), ("td", "2"), ("q", "1")}
    marks = {row["metric"]: float(row["value"]) for row in rows if row["games"] == "700"}
    last = jobs[1].points[-1]
    assert marks["share won as second against random"] == last.outcomes.won
    assert marks["share lost in training"] == last.training_lost
    with pytest.raises(InputError, match="nothing has been measured yet"):
        export([TrainingJob(9, order(), queue)], "csv")


def test_a_run_that_is_killed_often_gets_on(queue, tmp_path, monkeypatch):
    """More often than its curve has points: its state is kept at any number of games."""
    monkeypatch.setattr(run_files, "SECONDS", 0.0)
    monkeypatch.setattr(run_files, "SHARE", 0)
    reached = [0]
    for _ in range(4):
        job = TrainingJob(1, order(games=1_000_000_000), queue, VisitorFiles(tmp_path))
        if told := VisitorFiles(tmp_path).read_as("run-1.json", KeptRun):
            job.queue = JobQueue(1)  # that nobody works for: the turns are taken here
            monkeypatch.setattr(job.queue, "begin", lambda _: None)
            job.restore(told)
        begun = job.games
        while job.games <= begun or job.games >= job._plan[0]:
            job.turn()
        points = len(job.points)
        job.turn()
        assert len(job.points) == points  # it died between two points
        job.kept.files.end()
        reached.append(job.games)
    assert reached == sorted(set(reached))


def test_moments_of_a_run_are_kept(queue, tmp_path):
    runs = TrainingRuns(queue, VisitorFiles(tmp_path))
    job = runs.start(order(games=3000))
    wait(job)
    assert [look.games for look in job.looks] == [point.games for point in job.points]
    again = TrainingRuns(queue, VisitorFiles(tmp_path)).jobs[1]
    assert again.looks == job.looks
    first, last = describe_look(again, 0), describe_look(again, len(again.looks) - 1)
    assert (first["games"], last["games"]) == (0, 3000)
    assert first["values"] != last["values"]
    assert len(last["game"]["cells"]) >= 5
    now = describe_learned(job, "")
    assert now["values"] == last["values"]
    assert now["verdict"].startswith("Plays ")
    with pytest.raises(InputError, match="no such moment"):
        describe_look(again, 99)


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_learner_is_looked_at_within_its_first_hundred_games(name):
    """In a run of three million; and what is trained again is the agent of that moment."""
    against = trainers_for(name, TICTACTOE)[0]
    job = TrainingJob(1, Order(TICTACTOE, name, {}, against, 3_000_000, 1, "random"), JobQueue(1))
    while len(job.looks) < 3:
        job.turn()
    assert [look.games for look in job.looks] == [0, 10, 20]
    position = usual_position(TICTACTOE, job.order.side)
    for look in job.looks:
        again = agent_at(job.order, look.games, 0.0).values(position)
        assert {move_text(TICTACTOE, move): value for move, value in again.items()} == look.values
    moves = "11" if job.order.side == "second" else "11 22"
    seen = describe_look(job, 1, moves)
    assert seen["games"] == 10
    assert len(seen["values"]) == 9 - len(moves.split())
    assert len(seen["game"]["cells"]) >= 5


def test_a_moment_that_takes_long_is_refused_in_a_line(monkeypatch):
    wanted = order(games=3000).checked()
    line = "after 2,000 games only the usual position was recorded"
    with pytest.raises(InputError, match=line):
        agent_at(wanted, 2000, 100.0)
    monkeypatch.setattr(earlier, "MOST_SECONDS", -1.0)
    with pytest.raises(InputError, match=line):
        agent_at(wanted, 2000, 1.0)
    earlier._train.cache_clear()


def test_one_seed_gives_one_curve(queue):
    """Also where games are sampled: how many does not depend on the clock."""
    wanted = Order(game("connect4:4x5"), "line_td", {}, ITSELF, 30, 1, "random")
    jobs = [TrainingJob(number, wanted, queue) for number in (1, 2)]
    for job in jobs:
        while job.turn():
            pass
    assert jobs[0].points == jobs[1].points
    assert jobs[0].points[-1].outcomes.sampled > 0
