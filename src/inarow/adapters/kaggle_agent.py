"""An n-tuple agent of inarow's for Kaggle's ConnectX, in one file: NumPy is all it needs.

As it stands here it is the form of such a file: `inarow export AGENT --to kaggle` fills in DATA.
Cells are numbered from the lowest row up. For searches the stones are bits instead, a column after
the other and a bit that stays empty on top of each.
"""

import base64
import json
import zlib
from typing import Any

import numpy as np

DATA = ""
Known = dict[tuple[int, int], bool]  # positions, and whether what was asked of them is so


class Board:
    """What follows from the size of the board."""

    def __init__(self, rows: int, columns: int, k: int) -> None:
        self.rows, self.columns, self.k, self.height = rows, columns, k, rows + 1
        self.bottom = sum(1 << (self.height * column) for column in range(columns))
        self.all = self.bottom * ((1 << rows) - 1)
        by_distance = sorted(range(columns), key=lambda column: -abs(2 * column - columns + 1))
        self.centre = [by_distance.index(column) for column in range(columns)]

    def column_of(self, bit: int) -> int:
        """The column of a bit."""
        return (bit.bit_length() - 1) // self.height

    def playable(self, mask: int) -> int:
        """The cells that a stone can fall to."""
        return (mask + self.bottom) & self.all

    def completing(self, stones: int) -> int:
        """Where one more stone would complete a line."""
        found = 0
        for step in (1, self.rows, self.height, self.height + 1):
            for before in range(self.k):  # so many stones on one side of the cell
                run = self.all
                for distance in range(1, before + 1):
                    run &= stones << (step * distance)
                for distance in range(1, self.k - before):
                    run &= stones >> (step * distance)
                found |= run
        return found

    def mirrored(self, word: int) -> int:
        """The columns from right to left."""
        image, column = 0, (1 << self.height) - 1
        for _ in range(self.columns):
            image, word = (image << self.height) | (word & column), word >> self.height
        return image

    def ordered(self, own: int, mask: int, moves: int) -> list[int]:
        """Moves as bits, most new threats first, then the centre."""
        threats = self.completing(own ^ mask) & ~mask
        ranked = []
        while moves:
            bit = moves & -moves
            moves ^= bit
            useful = self.completing(own | bit) & ~(mask | bit) & ~(threats << 1)
            soon = useful & ~self.playable(mask | bit)
            rank = useful.bit_count() + soon.bit_count()
            ranked.append((rank, self.centre[self.column_of(bit)], bit))
        return [bit for _, _, bit in sorted(ranked, reverse=True)]


def reaches(board: Board, own: int, mask: int, least: int, known: Known) -> bool:
    """Whether the side to move gets at least that: 1 a win, 0 a draw."""
    moves = board.playable(mask)
    if board.completing(own) & moves:
        return True
    if mask == board.all:
        return least <= 0
    threats = board.completing(own ^ mask) & ~mask
    forced = moves & threats
    if forced & (forced - 1):
        return False
    moves = (forced or moves) & ~(threats >> 1)
    key = own + mask, least
    found = known.get(key)
    if found is None:
        found = any(
            not reaches(board, own ^ mask, mask | bit, 1 - least, known)
            for bit in board.ordered(own, mask, moves)
        )
        known[key] = found
    return found


def exact_column(board: Board, own: int, mask: int, known: Known) -> int:
    """The first move that keeps the value of the position."""
    flipped = board.mirrored(own + mask) < own + mask
    if flipped:
        own, mask = board.mirrored(own), board.mirrored(mask)
    winning = board.completing(own) & board.playable(mask)
    bits = [winning & -winning] if winning else board.ordered(own, mask, board.playable(mask))
    best = bits[0]
    if not winning:
        for value in (1, 0):
            keeping = (
                bit for bit in bits if not reaches(board, own ^ mask, mask | bit, 1 - value, known)
            )
            first = next(keeping, None)
            if first is not None:
                best = first
                break
    column = board.column_of(best)
    return board.columns - 1 - column if flipped else column


class Network:
    """The agent: the network, the rules before it, the search behind it."""

    def __init__(self, content: str) -> None:
        head, _, rest = zlib.decompress(base64.b85decode(content)).partition(b"\n")
        self.options = json.loads(head)
        self.arrays: dict[str, Any] = {}
        place = 0
        for name, kind, shape in self.options["arrays"]:
            size = int(np.prod(shape)) * np.dtype(kind).itemsize
            self.arrays[name] = np.frombuffer(rest[place : place + size], kind).reshape(shape)
            place += size
        self.board = Board(self.options["rows"], self.options["columns"], self.options["k"])
        self.known: Known = {}

    def move(self, stones: Any) -> int:
        """The column to play; `stones` has 0, 1 or 2 for each cell."""
        board, ply = self.board, int(np.count_nonzero(stones))
        places = [divmod(cell, board.columns) for cell in range(len(stones))]
        bits = [1 << (column * board.height + row) for row, column in places]
        own = sum(bit for bit, stone in zip(bits, stones, strict=True) if stone == 1 + ply % 2)
        mask = sum(bit for bit, stone in zip(bits, stones, strict=True) if stone)
        if self.options["stones"] is not None and ply >= self.options["stones"]:
            if len(self.known) > 2_000_000:
                self.known.clear()
            return exact_column(board, own, mask, self.known)
        moves = self.filtered(own, mask)
        cells = [c for c in range(len(stones)) if bits[c] & moves]
        if len(cells) == 1:
            return cells[0] % board.columns
        winning = board.completing(own)
        sums = self.sums(stones, ply, cells)
        values = [np.inf if bits[c] & winning else s for c, s in zip(cells, sums, strict=True)]
        best = max(values)
        return min(c % board.columns for c, w in zip(cells, values, strict=True) if w == best)

    def filtered(self, own: int, mask: int) -> int:
        """The moves that win, else block, else let nobody win on top, else all."""
        board = self.board
        moves = board.playable(mask)
        if not self.options["filter"]:
            return moves
        threats = board.completing(own ^ mask) & ~mask
        winning = moves & board.completing(own)
        return winning or moves & threats or moves & ~(threats >> 1) or moves

    def sums(self, stones: Any, ply: int, cells: list[int]) -> list[float]:
        """What the network says of each move, added up in the order in which inarow does."""
        starts, touched, changes = (self.arrays[n] for n in ("touched_start", "touched", "changes"))
        weights, side, indices = self.arrays["weights"], ply % 2, self.arrays["start"].copy()
        for taken in np.flatnonzero(stones):
            part = slice(starts[taken], starts[taken + 1])
            np.add.at(indices, touched[part], changes[stones[taken] - 1, part])
        table = weights[(ply + 1) & (len(weights) - 1)]
        seen = table[indices]
        sign, base, found = np.float32(1 - 2 * side), added(seen), []
        for cell in cells:
            part = slice(starts[cell], starts[cell + 1])
            after = table[indices[touched[part]] + changes[side, part]]
            found.append(float(sign * (base + added(after - seen[touched[part]]))))
        return found


def added(numbers: Any) -> Any:
    """Four sums side by side, then together."""
    if not len(numbers):
        return np.float32(0)
    lanes = np.cumsum(numbers.reshape(-1, 4), axis=0, dtype=np.float32)[-1]
    return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3])


NETWORK: Any = Network(DATA) if DATA else None


def agent(observation: Any, configuration: Any) -> int:
    """The column to play, as Kaggle asks for it: rows from the highest down, one list."""
    rows, columns = configuration["rows"], configuration["columns"]
    board = np.array(observation["board"], dtype=np.int64).reshape(rows, columns)
    return int(NETWORK.move(board[::-1].ravel()))
