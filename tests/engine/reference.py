"""Plain references of compiled play: the same games, move by move, on the same random numbers.

Everything is written in the obvious way on `Position`, lists and whole numbers. What the compiled
board promises about the *order* of its lists is said here once more, because a random draw is a
place in such a list:

- open cells: the cell above a played one takes its place in the list; where nothing lies above,
  the last of the list does.
- threat cells of a side: a new one goes to the end, those of one stone in the order of the lines
  through its cell; in the place of one that is played comes the last of the list.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from inarow.engine.rules import Rule, RuleList, Scan
from inarow.game import Game, Outcome, Position
from inarow.plain.random_stream import WORD, RandomStream


def plain_mix(word: int) -> int:
    """The last steps of splitmix64."""
    word = ((word ^ word >> 30) * 0xBF58476D1CE4E5B9) & WORD
    word = ((word ^ word >> 27) * 0x94D049BB133111EB) & WORD
    return word ^ word >> 31


class PlainBoard:
    """A position with its lists of open cells and of threats, in the documented orders."""

    def __init__(self, game: Game) -> None:
        self.game, self.position = game, Position(game)
        self.lines: list[list[int]] = game.lines.tolist()
        self.through: list[list[int]] = [[] for _ in range(game.cells)]
        for number, line in enumerate(self.lines):
            for cell in line:
                self.through[cell].append(number)
        self.open = list(range(game.columns))
        self.threats: list[list[int]] = [[], []]
        if game.k == 1:
            self.threats = [list(range(game.cells)), list(range(game.cells))]
        self.cells: list[int] = []  # the cells played, in order

    @property
    def side(self) -> int:
        """0 if the first player is to move, 1 if the second."""
        return self.position.ply % 2

    def above(self, cell: int) -> int | None:
        """The cell on top of another, where stones fall."""
        on_top = cell + self.game.columns
        return on_top if self.game.gravity and on_top < self.game.cells else None

    def completing(self, side: int, cell: int) -> list[int]:
        """The lines that a side would complete on an empty cell, ascending."""
        stones = self.position.stones
        return [
            number
            for number in self.through[cell]
            if all(stones[c] == side + 1 for c in self.lines[number] if c != cell)
        ]

    def place(self, cell: int) -> None:
        """Plays on an open cell."""
        side, above = self.side, self.above(cell)
        self.position.push(cell % self.game.columns)
        self.cells.append(cell)
        if above is None:
            _take_out(self.open, cell)
        else:
            self.open[self.open.index(cell)] = above
        for threats in self.threats:
            if cell in threats:
                _take_out(threats, cell)
        stones = self.position.stones
        for number in self.through[cell]:
            empty = [c for c in self.lines[number] if stones[c] == 0]
            others = [c for c in self.lines[number] if stones[c] == 2 - side]
            if len(empty) == 1 and not others and empty[0] not in self.threats[side]:
                self.threats[side].append(empty[0])


def _take_out(cells: list[int], cell: int) -> None:
    """The last of the list takes the cell's place."""
    last = cells.pop()
    if last != cell:
        cells[cells.index(cell)] = last


class PlainRulePlayer:
    """A rule list with its own random numbers, and what it keeps for a game."""

    def __init__(self, rules: RuleList, stream: RandomStream) -> None:
        self.rules, self.stream = rules, stream
        self.variant, self.key = 0, 0

    def begin(self) -> None:
        """Before a game: the variant, if there are several, then the key of the game's order."""
        if len(self.rules.variants) > 1:
            self.variant = self.stream.below(len(self.rules.variants))
        if self.rules.scan == Scan.GAME:
            self.key = self.stream.next_word()


def plain_choose(board: PlainBoard, player: PlainRulePlayer) -> int:
    """The cell that a rule player chooses."""
    for rule in player.rules.variants[player.variant]:
        found = _find(board, rule)
        if found:
            break
    else:
        rule, found = Rule.END, board.open
        if player.rules.scan != Scan.GAME:
            return found[player.stream.below(len(found))]
    if len(found) == 1:
        return found[0]
    if player.rules.scan == Scan.RANDOM:
        return found[player.stream.below(len(found))]
    return min(found, key=lambda cell: _rank(board, player, rule, cell))


def _find(board: PlainBoard, rule: Rule) -> list[int]:
    """The open cells that a rule is for."""
    side = board.side
    if board.position.game.misere:  # no move wins at once; one's own line is to be avoided
        assert rule != Rule.GREEDY
        avoided = [cell for cell in board.open if not board.completing(side, cell)]
        return avoided if rule == Rule.SAFE else []
    if rule == Rule.WIN:
        return [cell for cell in board.threats[side] if cell in board.open]
    if rule == Rule.BLOCK:
        return [cell for cell in board.threats[1 - side] if cell in board.open]
    if rule == Rule.SAFE:
        return [
            cell
            for cell in board.open
            if (above := board.above(cell)) is None or not board.completing(1 - side, above)
        ]
    assert rule == Rule.GREEDY
    value = {
        cell: (len(board.completing(side, cell)), len(board.through[cell])) for cell in board.open
    }
    return [cell for cell in board.open if value[cell] == max(value.values())]


def _rank(board: PlainBoard, player: PlainRulePlayer, rule: Rule, cell: int) -> int:
    """Where a cell stands in the player's scan order."""
    move = cell % board.game.columns
    if player.rules.scan == Scan.GAME:
        return plain_mix((player.key + move * 0x9E3779B97F4A7C15) & WORD)
    if player.rules.scan == Scan.LINES and rule in (Rule.WIN, Rule.BLOCK):
        return board.completing(board.side if rule == Rule.WIN else 1 - board.side, cell)[0]
    return move


def plain_match(
    game: Game, first: PlainRulePlayer, second: PlainRulePlayer, games: int
) -> list[PlainBoard]:
    """The finished boards of a few games, one after the other."""
    boards = []
    for _ in range(games):
        board, players = PlainBoard(game), (first, second)
        for player in players:
            player.begin()
        while board.position.outcome is None:
            board.place(plain_choose(board, players[board.side]))
        boards.append(board)
    return boards


def plain_random_games(game: Game, stream: RandomStream, games: int) -> list[Position]:
    """The random games of `engine.play_games`: a list of moves, carried over from game to game.

    A move that cannot be played again changes places with the last one that can.
    """
    moves, finished = list(range(game.columns)), []
    for _ in range(games):
        position, available = Position(game), game.columns
        while position.outcome is None:
            place = stream.below(available)
            move = moves[place]
            position.push(move)
            full = not game.gravity or position.moves.count(move) == game.shape[0]
            if full:
                available -= 1
                moves[place], moves[available] = moves[available], moves[place]
        finished.append(position)
    return finished


def tallied(positions: Sequence[Position]) -> list[int]:
    """[unused, first wins, second wins, draws, plies], as the playout kernels count."""
    outcomes = [None, Outcome.FIRST, Outcome.SECOND, Outcome.DRAW]
    counts = [sum(p.outcome is outcome for p in positions) for outcome in outcomes]
    return [*counts, sum(p.ply for p in positions)]


def line_words(game: Game, stones: Sequence[int]) -> np.ndarray:
    """The board's line words found anew: stones of each side, and the sum of the empty cells."""
    on_lines = np.array(stones)[game.lines]
    empty = np.where(on_lines == 0, game.lines, 0).sum(axis=1, dtype=np.int64)
    return (on_lines == 1).sum(axis=1) + ((on_lines == 2).sum(axis=1) << 16) + (empty << 32)


def threat_counts(game: Game, stones: Sequence[int]) -> np.ndarray:
    """[2, cells] how many lines a side would complete on each empty cell, found anew."""
    threats = np.zeros((2, game.cells), dtype=np.int64)
    on_lines = np.array(stones)[game.lines]
    for side in (0, 1):
        own, empty = on_lines == side + 1, on_lines == 0
        one_left = (own.sum(axis=1) == game.k - 1) & (empty.sum(axis=1) == 1)
        np.add.at(threats[side], game.lines[one_left][empty[one_left]], 1)
    return threats
