"""Records a terminal: train, certify, watch. Draws it as a moving SVG: `make pictures`.

The commands run for real, in a terminal of 80 columns without colours, and every line of the
picture is a line of their output, in its order. Only the pauses are made even.
"""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import tempfile
from html import escape
from pathlib import Path

PICTURE = Path(__file__).resolve().parent / "pictures" / "demo.svg"
COMMANDS = (
    "inarow train tictactoe q --games 200000 --seed 1 --out best.safetensors",
    "inarow certify best.safetensors",
    "inarow play tictactoe --watch random best.safetensors --seed 2",
)
BLANK = "\N{NO-BREAK SPACE}"  # others are drawn as one where several stand together
ROWS, LINE, WIDTH, SIDE = 24, 17, 700, 14
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
PAUSE, SHORT, LAST = 1.6, 0.09, 6.0  # seconds: after a command, after a line, at the end


def record(command: str, folder: str) -> list[str]:
    """The lines that a command prints in a terminal."""
    leader, follower = pty.openpty()
    environment = {**os.environ, "TERM": "dumb", "COLUMNS": "80", "LINES": str(ROWS)}
    words = [sys.executable, "-m", *command.split()]
    with subprocess.Popen(
        words, stdin=follower, stdout=follower, stderr=follower, cwd=folder, env=environment
    ) as process:
        os.close(follower)
        parts = []
        while True:
            try:
                part = os.read(leader, 65536)
            except OSError:  # the terminal has been hung up
                break
            if not part:
                break
            parts.append(part)
    os.close(leader)
    if process.returncode:
        raise SystemExit(f"{command}: {b''.join(parts).decode()}")
    text = CONTROL.sub("", b"".join(parts).decode()).replace("\r\n", "\n")
    lines = text.strip("\n").split("\n")
    return [line.rpartition("\r")[2].rstrip() for line in lines]


def script() -> list[tuple[float, str, bool]]:
    """All lines: when each appears, its text, and whether it was typed."""
    shown, clock = list[tuple[float, str, bool]](), 0.0
    with tempfile.TemporaryDirectory() as folder:
        for command in COMMANDS:
            shown.append((clock, f"$ {command}", True))
            clock += PAUSE
            for line in record(command, folder):
                shown.append((clock, line, False))
                clock += SHORT if line else 3 * SHORT
            shown.append((clock, "", False))
            clock += PAUSE
    return shown[:-1]


def svg(shown: list[tuple[float, str, bool]]) -> str:
    """The lines appear one by one, and the screen scrolls when it is full."""
    total, height = shown[-1][0] + LAST, (ROWS + 1) * LINE + 4
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
        f'height="{height}" font-family="ui-monospace, Menlo, Consolas, monospace" '
        'font-size="13" fill="#d8dee9">',
        f'<rect width="{WIDTH}" height="{height}" rx="6" fill="#1e222a"/>',
        f'<clipPath id="s"><rect width="{WIDTH}" height="{height - 6}"/></clipPath>',
        '<g clip-path="url(#s)"><g>',
        _scrolling(shown, total),
    ]
    for row, (at, line, typed) in enumerate(shown):
        if line:
            y, colour = LINE * (row + 1) + 3, ' fill="#8fbc8f"' if typed else ""
            parts.append(
                f'<text x="{SIDE}" y="{y}"{colour}>{escape(line).replace(" ", BLANK)}<animate '
                f'attributeName="opacity" values="0;1" keyTimes="0;{at / total:.4f}" '
                f'calcMode="discrete" dur="{total:.1f}s" repeatCount="indefinite"/></text>'
            )
    return "\n".join([*parts, "</g></g></svg>", ""])


def _scrolling(shown: list[tuple[float, str, bool]], total: float) -> str:
    steps = [("0", "0,0")]
    for row, (at, _, _) in enumerate(shown):
        if row >= ROWS:
            steps.append((f"{at / total:.4f}", f"0,{-LINE * (row - ROWS + 1)}"))
    times, values = (";".join(part) for part in zip(*steps, strict=True))
    return (
        f'<animateTransform attributeName="transform" type="translate" values="{values}" '
        f'keyTimes="{times}" calcMode="discrete" dur="{total:.1f}s" repeatCount="indefinite"/>'
    )


if __name__ == "__main__":
    PICTURE.write_text(svg(script()), encoding="utf-8")
