"""An example for every command, which its help ends with and which tests try."""

from __future__ import annotations

import typer

EXAMPLES = {
    "games": "games connect4:6x7",
    "perft": "perft tictactoe 5",
    "count": "count tictactoe",
    "play": "play tictactoe --watch perfect random --seed 3",
    "players": "players",
    "train": "train tictactoe q --games 20000 --out best.safetensors",
    "learners": "learners td",
    "export": "export ntuple --to kaggle --out submission.py",
    "match": "match tictactoe random attack --games 1000 --seed 1",
    "arena": "arena tictactoe random attack defense --games 100",
    "solve": "solve connect4:6x7 4453",
    "analyse": 'analyse tictactoe "22 12 21 23 11 33 31"',
    "certify": "certify tictactoe attack-defense",
    "reproduce": "reproduce hybrid --list",
    "bench": "bench tictactoe --seconds 0.1",
    "serve": "serve --port 8000",
    "agents list": "agents list",
    "agents make": "agents make --out agent.safetensors",
    "agents measure": "agents measure ntuple --out measured.json",
    "book make": "book make connect4:4x4 --ply 2 --out small.book",
    "book replies": "book replies connect4:6x7 --ply 10 --out some.replies",
    "book check": "book check connect4:6x7 --sample 2",
    "study new": "study new lesson.toml tictactoe td q",
    "study run": "study run study.toml --runs 2",
    "study tune": "study tune tuning.toml",
    "study show": "study show study.db",
    "plot": "plot study.db",
    "study plot": "study plot study.db",
    "study compare": "study compare study.db",
    "study check": "study check study.db",
    "study export": "study export study.db rows.csv",
}


def add_examples(app: typer.Typer, before: str = "") -> None:
    """Ends the help of every command with its example, those of groups too."""
    for command in app.registered_commands:
        example = EXAMPLES.get(f"{before}{command.name}")
        if example:
            command.epilog = f"\b\nExample: inarow {example}"
    for group in app.registered_groups:
        if group.typer_instance is not None:
            add_examples(group.typer_instance, f"{before}{group.name} ")
