"""Rule players: a list of rules and an order to look in, read by one compiled loop.

Every fixed opponent of the papers is such a list. The rules are tried in turn; the first that
finds any cell decides, and when none does the move is random. Among several cells that a rule
finds, the scan order chooses. It is an explicit part of a player because results hang on it (in
the hybrid paper's training it moves the losses of *defense* from 5,000 to 19,000).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.engine.board import OPEN, PLY, THREATS, Board, Cells, Int64s, Tables, Words, is_open
from inarow.engine.jit import inline
from inarow.engine.streams import Stream, below, mix, next_word
from inarow.game import InputError


class Rule(IntEnum):
    """What a rule looks for among the playable cells."""

    END = 0  # nothing more: a random move
    WIN = 1  # cells that complete a line: a win, or a point where lines are counted
    BLOCK = 2  # cells where the other side would complete a line
    SAFE = 3  # cells that do not let the other side complete a line on top
    GREEDY = 4  # cells that complete most lines; among these, those that most lines cross
    AVOID = 5  # cells that complete no line: what SAFE means where a line loses


def rules_in(rules: Iterable[Rule], misere: bool) -> list[int]:
    """What rules mean in a game, as the list that `find_cells` reads.

    Where a line loses (misère) no move wins at once: WIN and BLOCK have nothing to look for, and
    the cells that are SAFE are those that complete no line of one's own.
    """
    if misere:
        rules = [Rule.AVOID for rule in rules if rule == Rule.SAFE]
    return [*rules, Rule.END]


class Scan(IntEnum):
    """Which of several cells is the first. Cells count as their move: with gravity, the column."""

    RANDOM = 0  # an order drawn for each move: any of them, equally likely
    GAME = 1  # an order drawn for each game and kept, for the random moves too
    LINES = 2  # by the first line completed or blocked, in the order of `find_lines`
    CELLS = 3  # by number


@dataclass(frozen=True)
class RuleList:
    """A rule player as data. Of several variants one is drawn for each game."""

    variants: tuple[tuple[Rule, ...], ...]
    scan: Scan = Scan.RANDOM

    def has_meaning(self, misere: bool) -> bool:
        """Return whether the rules say anything: if misère, only SAFE does, or no rule at all."""
        return not misere or all(
            not rules or (Rule.SAFE in rules and Rule.GREEDY not in rules)
            for rules in self.variants
        )

    def compiled(self, tables: Tables) -> RulePlayer:
        """The player that a compiled loop takes: with a memory of its own, so one for each loop."""
        if not self.has_meaning(tables.misere):
            raise InputError(
                "a player whose rules are to complete or to block lines cannot play where a line "
                "loses: take random, benchmark, minimax:DEPTH or perfect"
            )
        longest = max(len(rules) for rules in self.variants)
        table = np.zeros((len(self.variants), longest + 1), dtype=np.int64)
        for row, rules in zip(table, self.variants, strict=True):
            meant = rules_in(rules, tables.misere)
            row[: len(meant)] = meant
        return RulePlayer(
            table,
            int(self.scan),
            np.zeros(2, dtype=np.uint64),
            np.zeros(tables.cells, dtype=np.uint32),
        )


class RulePlayer(NamedTuple):
    """A rule list for compiled loops."""

    rules: Int64s  # [variants, rules], each row ended by END
    scan: int
    memory: Words  # [2] for the game in play: the variant, and the key of its order
    found: Cells  # [cells] scratch: the cells that a rule found


def moves_at_random(player: object) -> bool:
    """Return whether a player draws each move from all that are legal, with one random number."""
    return (
        isinstance(player, RulePlayer)
        and player.rules[:, 0].tolist() == [Rule.END]
        and player.scan != Scan.GAME
    )


@inline
def begin_rules(player: RulePlayer, stream: Stream) -> None:
    """Draw the variant of a game, and the order if one is kept for the game."""
    if len(player.rules) > 1:
        player.memory[0] = np.uint64(below(stream, len(player.rules)))
    if player.scan == Scan.GAME:
        player.memory[1] = next_word(stream)


@inline
def choose_by_rules(tables: Tables, board: Board, player: RulePlayer, stream: Stream) -> int:
    """The cell that the player chooses."""
    rules = player.rules[player.memory[0]]
    rule, cells, count = find_cells(tables, board, rules, player.found)
    if rule == Rule.END and player.scan != Scan.GAME:
        return cells[below(stream, count)]
    if count == 1:
        return cells[0]
    if player.scan == Scan.RANDOM:
        return cells[below(stream, count)]
    for i in range(count):
        player.found[i] = cells[i]
    return first_in_order(tables, board, player, rule, count)


@inline
def write_rule_policy(
    tables: Tables, board: Board, player: RulePlayer, weights: npt.NDArray[np.float64]
) -> None:
    """Write weight 1 for every move that the player may choose."""
    rule, cells, count = find_cells(tables, board, player.rules[player.memory[0]], player.found)
    if rule == Rule.END or player.scan == Scan.RANDOM:
        for i in range(count):
            weights[cells[i] % tables.columns] = 1.0
        return
    for i in range(count):
        player.found[i] = cells[i]
    weights[first_in_order(tables, board, player, rule, count) % tables.columns] = 1.0


@inline
def ordered_cells(tables: Tables, board: Board, rules: Int64s, found: Cells) -> tuple[int, int]:
    """Apply the first rule that finds any cell; write the cells in their order.

    Rule.END, with all playable cells, when none does. Lists of a board are in an order that hangs
    on how its stones came there. A player that takes the first of equal moves, or adds up over
    them, needs this one: else it would not answer a position, but the way to it.
    """
    rule, cells, count = find_cells(tables, board, rules, found)
    if rule == Rule.END:
        count = 0
        for cell in range(tables.cells):
            if board.stones[cell] == 0 and (
                not tables.gravity
                or cell < tables.columns
                or board.stones[cell - tables.columns] != 0
            ):
                found[count] = cell
                count += 1
        return rule, count
    for i in range(count):  # few: sorted by insertion
        cell, place = cells[i], i
        while place > 0 and found[place - 1] > cell:
            found[place] = found[place - 1]
            place -= 1
        found[place] = cell
    return rule, count


@inline
def find_cells(tables: Tables, board: Board, rules: Int64s, found: Cells) -> tuple[int, Cells, int]:
    """Apply the first rule that finds any cell; return a list that begins with them.

    Where a list of the board is just what the rule is for, it is that list, not a copy (measured:
    copying took up to a sixth of a game's time). Else the cells are written into `found`.
    Rule.END, with the playable cells, when no rule finds any.
    """
    for rule in rules:
        if rule == Rule.END:
            break
        cells, count = _find(tables, board, rule, found)
        if count > 0:
            return rule, cells, count
    return 0, board.open_cells, board.counters[OPEN]  # Rule.END


@inline
def _find(tables: Tables, board: Board, rule: int, found: Cells) -> tuple[Cells, int]:
    """Return a list that begins with the cells that a rule is for, and their number."""
    side = board.counters[PLY] & 1
    count = 0
    if rule == Rule.WIN or rule == Rule.BLOCK:
        looked = side if rule == Rule.WIN else 1 - side
        threats = board.threat_cells[looked]
        if not tables.gravity:
            return threats, board.counters[THREATS + looked]
        for i in range(board.counters[THREATS + looked]):
            if is_open(board, threats[i]):
                found[count] = threats[i]
                count += 1
    elif rule == Rule.SAFE:
        for i in range(board.counters[OPEN]):
            cell = board.open_cells[i]
            above = tables.above[cell]
            if above < 0 or board.threat[1 - side, above] == 0:
                found[count] = cell
                count += 1
    elif rule == Rule.GREEDY:
        best = np.int64(-1)
        for i in range(board.counters[OPEN]):
            cell = board.open_cells[i]
            through = tables.line_start[cell + 1] - tables.line_start[cell]
            value = (np.int64(board.threat[side, cell]) << 32) + through
            if value >= best:
                count = count if value == best else 0
                best = value
                found[count] = cell
                count += 1
    elif rule == Rule.AVOID:
        for i in range(board.counters[OPEN]):
            cell = board.open_cells[i]
            if board.threat[side, cell] == 0:
                found[count] = cell
                count += 1
    return found, count


@inline
def first_in_order(tables: Tables, board: Board, player: RulePlayer, rule: int, count: int) -> int:
    """Return the found cell that comes first in the player's scan order.

    The order kept for a game ranks each move by a hash of the move and the game's key.
    """
    side = board.counters[PLY] & 1
    best_cell, best_rank = player.found[0], ~np.uint64(0)
    for i in range(count):
        cell = player.found[i]
        move = np.uint64(cell % tables.columns)
        if player.scan == Scan.GAME:
            rank = mix(player.memory[1] + move * np.uint64(0x9E3779B97F4A7C15))
        elif player.scan == Scan.LINES and (rule == Rule.WIN or rule == Rule.BLOCK):
            rank = _first_line(tables, board, side if rule == Rule.WIN else 1 - side, cell)
        else:
            rank = move
        if rank < best_rank:
            best_cell, best_rank = cell, rank
    return best_cell


@inline
def _first_line(tables: Tables, board: Board, side: int, cell: int) -> np.uint64:
    """The first line that the side would complete on the cell."""
    threatens = np.int64(tables.k - 1) << (16 * side)
    for i in range(tables.line_start[cell], tables.line_start[cell + 1]):
        if (board.lines[tables.line_at[i]] & 0xFFFFFFFF) == threatens:
            return np.uint64(tables.line_at[i])
    return ~np.uint64(0)
