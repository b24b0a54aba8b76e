"""What the hybrid paper's page says in words: how ours differs, and where the paper slips."""

from __future__ import annotations

from inarow.game import game as game_of
from inarow.papers.hybrid import GAMES, MOST_GAMES, PAPER_RUNS, STATED, STOP_GAMES, WINDOW
from inarow.papers.hybrid_report import crossing
from inarow.papers.results import Results


def differences() -> tuple[str, ...]:
    """From the paper, or beyond what it says."""
    return (
        "Which of several lines a trainer blocks is not said. Ours takes the first in a fixed "
        "scan: rows, then columns, then diagonals. It is a parameter of a rule player.",
        "How often the stop rule is looked at is not said. Ours looks every 10,000 games. "
        f"{_multiples()}",
        "“One of the above players” of the combined trainer is read as one of the four with "
        "rules; the random player is described after it.",
        "“Interspersed evenly” is read as every seventh game.",
        "Utilities are zero at the start of a run, not “in each game”, which would forget all.",
        "“A random move if all of the attainable states have the same utility” is read as a "
        "random one of those with the highest.",
        "The expert takes the lowest of several moves that keep the game's value. The paper's is "
        "a minimax whose order is not said.",
        f"The loss ratio before {WINDOW:,} games is that of all games so far.",
        "Seconds are CPU time of training alone, from the speed measured on one core after "
        "compilation; the paper's are of a C++ program on an i5-10210U.",
    )


def _multiples() -> str:
    """What the published means say of it."""
    games = [row.games for rows in STATED.values() for row in rows.values()]
    below = [number for number in games if number < MOST_GAMES]
    if any(number % 100 for number in below):
        return ""
    return (
        f"All {len(below)} published means below {MOST_GAMES:,} are multiples of 100, as means of "
        f"{PAPER_RUNS} runs are if every run ends at a multiple of 10,000."
    )


def slips(results: Results) -> tuple[str, ...]:
    """With the right numbers."""
    small, large = (results.facts["positions"][game] for game in GAMES)
    cells = [game_of(game).cells for game in GAMES]
    ways = [3**number for number in cells]
    first, second = (STATED[game] for game in GAMES)
    ratios = [
        [
            row.games / rows["attack-defense"].games
            for name, row in rows.items()
            if name != "attack-defense"
        ]
        for rows in (first, second)
    ]
    lost = second["attack-defense"].lost_random / 1e6
    return (
        f"“7858 times the potential states present in tic-tac-toe” divides all ways to fill the "
        f"larger board, {ways[1]:,}, by the *reachable* positions of tic-tac-toe, {small:,}. Like "
        f"for like it is {ways[1] // ways[0]:,} ({ways[1]:,} / {ways[0]:,}), and for reachable "
        f"positions {large / small:.1f}.",
        f"The legal states of 4x4 Connect-4, “(180,000, 200,000)”, are exactly {large:,}.",
        f"“Eight possibilities” for the first move of tic-tac-toe are {cells[0]}.",
        "“2-4 orders of magnitude faster”: by Table 1 the other trainers need "
        f"{min(ratios[0]):.0f}x to {max(ratios[0]):.0f}x the games of attack-defense in "
        "tic-tac-toe, the latter at least, since those runs were cut off; in Connect-4 "
        f"{min(ratios[1]):.1f}x to {max(ratios[1]):.1f}x.",
        "“Consistently achieved zero losses at about 100,000 games played (see Figure 6 and Figure "
        f"11)” holds for tic-tac-toe. In Connect-4 Table 1 has {second['attack-defense'].games:,} "
        f"games, the last {STOP_GAMES:,} without a loss.{_ratio_text(results)}",
        "“The crossover point (approximately after 2000 games)” and “a plateau after about 5000 "
        f"games” are not what a window of {WINDOW:,} games shows{_crossing_text(results)}. So "
        "Figure 5 seems to be drawn with a shorter one than is said.",
        f"“0.0175% of the Connect-4 games” is {100 * lost:.4f}% by Table 3.",
    )


def _ratio_text(results: Results) -> str:
    """What ours loses there after 100,000 games."""
    said = []
    for row in results.rows:
        if row["strategy"] == "attack-defense" and 100_000 in row["curve"]["games"]:
            share = row["curve"]["ratio"][row["curve"]["games"].index(100_000)]
            said.append(f"{100 * share:.2g}% in {GAMES[row['game']]}")
    return f" After 100,000 games ours loses {' and '.join(said)}." if said else ""


def _crossing_text(results: Results) -> str:
    """Where attack-defense falls below random in tic-tac-toe, by window."""
    cells = {row["strategy"]: row for row in results.rows if row["game"] == "tictactoe"}
    if not {"attack-defense", "random"} <= set(cells):
        return ""
    wide, narrow = crossing(cells), crossing(cells, 1_000)
    if wide is None or narrow is None:
        return ""
    return f": ours cross after {wide:,} games there, and after {narrow:,} in one of 1,000"
