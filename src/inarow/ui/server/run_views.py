"""Training runs as a page shows them: words, curves and proofs, and what has changed since."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from inarow.game import InputError
from inarow.lab.certificates.certify import GraphCertificate
from inarow.ui.server.curves import Point
from inarow.ui.server.forms import game_titles, learner_title
from inarow.ui.server.jobs import State
from inarow.ui.server.kept import MOST_GAMES
from inarow.ui.server.learned import MOST_CELLS
from inarow.ui.server.players import saved_agents
from inarow.ui.server.run_jobs import TrainingJob
from inarow.ui.server.runs import TrainingRuns
from inarow.web.opponents import name_of

WORDS = {
    State.WAITING: "in line",
    State.RUNNING: "training",
    State.STOPPED: "stopped",
    State.DONE: "done",
    State.FAILED: "failed",
}


class Watcher:
    """What one page has been told of the runs; `changes` is what it does not know yet."""

    def __init__(self, runs: TrainingRuns, folder: Path) -> None:
        self.runs, self.folder = runs, folder
        self._told: dict[int, tuple[dict[str, object], list[Point]]] = {}
        self._numbers: list[int] | None = None
        self._changed = 0  # when the folder was, as the page knows it

    def changes(self) -> dict[str, object] | None:
        """The numbers of all runs, those that changed, and points that were not told."""
        jobs = dict(self.runs.jobs)
        changed = list[dict[str, object]]()
        for number, job in jobs.items():
            points = job.points
            shown = describe_run(job)
            before, known = self._told.get(number, ({}, []))
            first = len(known) if points[: len(known)] == known else 0
            if shown != before or points != known:
                new = [_point(point) for point in points[first:]]
                changed.append({**shown, "from": first, "points": new})
                self._told[number] = shown, points
        numbers = list(jobs)
        saved = self._saved()
        if not changed and numbers == self._numbers and saved is None:
            return None
        self._told = {number: told for number, told in self._told.items() if number in jobs}
        self._numbers = numbers
        return {"numbers": numbers, "runs": changed, **({} if saved is None else {"saved": saved})}

    def _saved(self) -> list[list[object]] | None:
        """The agents that can be trained further, if the folder has changed."""
        with suppress(OSError):
            if (changed := self.folder.stat().st_mtime_ns) != self._changed:
                self._changed = changed
                return [
                    [name, header.games, f"{learner_title(header.learner)} in {_game(header.game)}"]
                    for name, header in saved_agents(self.folder).items()
                    if header.resumable
                ]
        return None


def describe_run(job: TrainingJob) -> dict[str, object]:
    """One run, without its curve."""
    order = job.order
    stopping = job.stopping and job.is_active
    begun = job.games > 0 and job.state is not State.FAILED
    actions = {
        "stop": job.is_active and not stopping,
        "resume": job.state is State.STOPPED,
        "more": job.state is State.DONE,
        "save": begun,
        "certify": begun and job.can_certify,
    }
    options = "".join(f", {name} {value}" for name, value in order.options.items())
    return {
        "number": job.number,
        "name": job.name,
        "title": f"{learner_title(order.learner)} learns {_game(order.game.name)} "
        f"against {name_of(order.against)}, seed {order.seed}{options}",
        "short": short_name(job),
        "game": order.game.name,
        "game_title": _game(order.game.name),
        "side": order.side,
        "seed": order.seed,
        "alike": repr(replace(order, seed=0)),
        "state": "stopping" if stopping else WORDS[job.state],
        "active": job.is_active,
        "error": job.error,
        "games": job.games,
        "total": order.games,
        "progress": _progress(job),
        "outcome": _outcome(job),
        "actions": [name for name, possible in actions.items() if possible],
        "shown": order.game.cells <= MOST_CELLS,
        "looks": [look.games for look in job.looks],
        "certificate": job.certificate and _certificate(job.certificate, order.side),
    }


def short_name(job: TrainingJob) -> str:
    """What a legend calls a run, without its seed."""
    order = job.order
    words = [learner_title(order.learner)]
    words += [f"{name} {value}" for name, value in order.options.items()]
    return f"{', '.join(words)} against {name_of(order.against)}"


def _game(name: str) -> str:
    """A game's name for people."""
    return game_titles().get(name, name)


def _point(point: Point) -> list[object]:
    shares = point.outcomes
    return [
        point.games,
        *(round(100 * share, 3) for share in (shares.score, shares.won, shares.drawn, shares.lost)),
        None if point.training_lost is None else round(100 * point.training_lost, 3),
    ]


def _progress(job: TrainingJob) -> str:
    rate = f", {job.games / job.seconds:,.0f} a second" if job.seconds > 0.05 else ""
    text = f"{job.games:,} of {job.order.games:,} games{rate}{_time_left(job)}"
    if not job.games and job.is_active:
        text += " (a first run of its kind is compiled: up to a minute)"
    return text


def _time_left(job: TrainingJob) -> str:
    """How long a run will take from now, at its pace so far; nothing where that is not known."""
    if not (job.is_active and job.games and job.seconds > 1):
        return ""
    left = job.seconds * (job.order.games - job.games) / job.games
    for size, unit in ((86_400, "days"), (3600, "hours"), (60, "minutes")):
        if left > 2 * size:
            return f", about {left / size:.0f} {unit} left"
    seconds = round(left)
    return f", about {seconds} second{'s'[: seconds != 1]} left"


def _outcome(job: TrainingJob) -> str:
    """What the last evaluation found."""
    if not job.points:
        return ""
    point = job.points[-1]
    shares = point.outcomes
    how = f"in {shares.sampled:,} games" if shares.sampled else "exactly"
    side = "on both sides" if job.order.side == "both" else f"as {job.order.side}"
    return (
        f"After {point.games:,} games, {side} against {name_of(job.order.tester)}: "
        f"won {shares.won:.1%}, drawn {shares.drawn:.1%}, lost {shares.lost:.1%} ({how})"
    )


def _certificate(certificate: GraphCertificate, trained: str) -> dict[str, object]:
    """The proof in words, and a game that beats the agent where there is one."""
    lines = list[dict[str, object]]()
    for side in sorted(certificate.sides, key=lambda side: side != trained):
        found, learned = certificate.sides[side], trained in (side, "both")
        text = f"As {side}{'' if learned else ', where it never trained'}: "
        text += certificate.side_text(side)
        if found.unbeatable and found.converts:
            text += " It wins every won position that it can meet."
        picture = found.refutation is not None and learned
        lines.append(
            {
                "text": text,
                "main": learned,
                "svg": certificate.game.position(found.refutation or "").svg() if picture else "",
            }
        )
    return {"basis": f"In {certificate.game.name}: {certificate.basis.text}", "lines": lines}


def act(runs: TrainingRuns, job: TrainingJob, action: str, folder: Path) -> dict[str, object]:
    """Stops, resumes, extends, certifies, saves or removes a run."""
    if action == "stop":
        job.stop()
    elif action == "resume":
        if job.state is not State.STOPPED:
            raise InputError("this run is not stopped")
        job.queue.begin(job)
    elif action == "more":
        job.more(min(MOST_GAMES, 2 * job.games))
    elif action == "certify":
        job.certify()
    elif action == "save":
        return {"name": job.save(folder), "game": job.order.game.name, "side": job.order.side}
    else:
        runs.remove(job.number)
    return {}
