"""What a server keeps of visitors, and what forms and programs may say."""

from __future__ import annotations

import random
import shlex
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from unittest.mock import patch

from inarow.game import InputError
from inarow.game import game as game_of
from inarow.game.setup import find_position
from inarow.lab.players.names import player
from inarow.lab.players.outside import ProgramPlayer
from inarow.learn.learner import ITSELF
from inarow.ui.server.arena_files import ArenaFiles
from inarow.ui.server.arena_jobs import ArenaJob, Arenas
from inarow.ui.server.curve_export import export
from inarow.ui.server.forms import describe_builder
from inarow.ui.server.jobs import JobQueue
from inarow.ui.server.learned import describe_look
from inarow.ui.server.orders import Order
from inarow.ui.server.players import check_game, find_player
from inarow.ui.server.run_jobs import TrainingJob
from inarow.ui.server.runs import TrainingRuns
from inarow.ui.server.uploads import Uploads
from inarow.ui.server.visitor_files import VisitorFiles, VisitorStore
from tests.fuzz.files import agent_files, folder
from tests.fuzz.mutate import NAMES, TEXTS, bent_agent, bent_bytes, bent_json, bent_text, odd
from tests.small_runs import RUNS


class Idle(JobQueue):
    """A line of jobs that nobody works off."""

    def __init__(self) -> None:
        super().__init__(1)
        self._workers = [None]  # type: ignore[list-item]


def _find(name: str, game: object) -> object:
    return find_player(name, game, folder() / "none")  # type: ignore[arg-type]


@cache
def _sound_visitor() -> Path:
    """A visitor with a run, an arena and a file."""
    place = folder() / "sound visitor"
    files = VisitorFiles(place)
    runs = TrainingRuns(Idle(), files)
    job = runs.start(Order(game_of("tictactoe"), "td", {}, "attack", 300, 1, "random").checked())
    for _ in range(4):
        job.turn()
    job.on_end()
    players = [player(name) for name in ("random", "attack", "minimax:3")]
    arena = ArenaJob(game_of("tictactoe"), players, 4, 1)
    Arenas(Idle(), ArenaFiles(files), _find).start(arena)  # type: ignore[arg-type]
    while arena.turn():
        pass
    Uploads(files).add("mine", agent_files("q")[0])
    return place


def visitors(chance: random.Random) -> None:
    """A server starts with what it kept of a visitor, and the visitor comes back."""
    root = folder() / ".visitors"
    shutil.rmtree(root, ignore_errors=True)
    store = VisitorStore(folder())
    place = root / "12345678-1234-1234-1234-123456789012"
    shutil.copytree(_sound_visitor(), place)
    (root / "secret").write_bytes(bent_bytes(b"ab" * 32, chance))
    changed = chance.sample(sorted(place.iterdir()), chance.choice((0, 1, 1, 2)))
    for path in changed:
        content = path.read_bytes()
        if path.suffix == ".json":
            path.write_bytes(bent_json(content, chance))
        elif path.suffix == ".moves":
            path.write_bytes(bent_bytes(content, chance))
        else:
            other = agent_files(chance.choice(list(RUNS)))[0]
            path.write_bytes(bent_agent(chance.choice((content, other)), chance))
    store.secret().encode("ascii")
    (identity,) = store.identities()
    files = store.files_of(identity)
    _come_back(files, sound=not changed)


def _come_back(files: VisitorFiles, sound: bool) -> None:
    refused = ""
    runs = TrainingRuns(Idle(), files)
    for job in runs.jobs.values():
        try:
            _use(job)
        except InputError as error:
            refused = str(error)
    arena = Arenas(Idle(), ArenaFiles(files), _find).job  # type: ignore[arg-type]
    for one, other in arena.matches if arena is not None else ():
        try:
            arena.game_of(one, other, 1)
        except InputError as error:
            refused = str(error)
    uploads = Uploads(files)
    assert not sound or all((runs.jobs, arena, uploads))
    for name in list(uploads.games):
        try:
            uploads[name]
        except InputError as error:
            refused = str(error)
    if refused:
        raise InputError(refused)


def _use(job: TrainingJob) -> None:
    job.turn()
    job.turn()
    job.agent_now()
    if job.points:
        export([job], "json")
    for number in range(len(job.looks)):
        describe_look(job, number)


def boards(chance: random.Random) -> None:
    """What the page that builds boards may ask."""
    asked = {"shape": "3,3", "k": "3", "wrap": "1", "gravity": "true", "misere": "false"}
    if chance.random() < 0.5:
        asked = {"name": chance.choice(NAMES)}
    part = chance.choice(list(asked))
    describe_builder({**asked, part: bent_text(asked[part], chance)})


def set_ups(chance: random.Random) -> None:
    """Stones on a board, in any order and number."""
    game = check_game(chance.choice(NAMES))
    stones = [0] * game.cells
    for _ in range(chance.choice((1, 4, 9, 40))):
        whose = 1 if stones.count(1) == stones.count(2) else 2
        whose = whose if chance.random() < 0.95 else chance.choice((0, 1, 2))
        stones[chance.randrange(game.cells)] = whose
    if chance.random() < 0.3:
        stones = [chance.choice((0, 1, 2)) for _ in stones]
    if chance.random() < 0.1:
        stones[0] = chance.choice((3, -1, 10**400))
    find_position(game, stones)


def orders(chance: random.Random) -> None:
    """What the form of the Train page may say."""
    small = RUNS[chance.choice(list(RUNS))]
    options = {name: str(value) for name, value in small.options.items()}
    for _ in range(chance.choice((0, 1, 2))):
        name = chance.choice([*options, "alpha", "epsilon", "tuples", "length", "hidden", "batch"])
        value = odd(chance)
        options[name] = value if isinstance(value, bool) else str(value)[:5000]
    name = chance.choice((small.game, small.game, *NAMES))
    numbers = [chance.choice((1, 100, 10**9, 10**18, -1)) for _ in range(2)]
    game = check_game(name)
    against = small.against or ITSELF
    Order(game, small.learner, options, against, numbers[0], numbers[1], "random").checked()


def names(chance: random.Random) -> None:
    """Names of players, as a link, a question or a command has them."""
    sound = ("random", "attack", "minimax:2", "mcts:9", "level:3", "shipped:cube", "ntuple+mcts:9")
    name = chance.choice((*sound, chance.choice(NAMES)))
    name = name if chance.random() < 0.3 else bent_text(name, chance)
    find_player(name, game_of("tictactoe"), folder() / "none")


SCRIPT = "read line; cat {0}; read line; cat {1}; read line"


def programs(chance: random.Random) -> None:
    """A program that is asked for moves answers anything."""
    answers = []
    for number, sound in enumerate((b"ready\n", b"22\n")):
        path = folder() / f"answer-{number}"
        changed = bent_bytes(sound, chance) if chance.random() < 0.5 else sound
        if chance.random() < 0.1:
            changed = chance.choice(TEXTS).encode("utf-8", "surrogatepass") + b"\n"
        path.write_bytes(changed)
        answers.append(shlex.quote(str(path)))
    name = f"cmd/0.3s:sh -c {shlex.quote(SCRIPT.format(*answers))}"
    program = ProgramPlayer(name)
    try:
        position = game_of("tictactoe").position()
        with patch("inarow.lab.players.outside.START_SECONDS", 0.3):  # for lines that do not end
            position.push(program.move(position))  # which is legal
    finally:
        program.close()


TARGETS: dict[str, Callable[[random.Random], None]] = {
    "visitors": visitors,
    "boards": boards,
    "set-ups": set_ups,
    "orders": orders,
    "names": names,
    "programs": programs,
}
