"""Monte Carlo tree search in the obvious way: nodes as objects, the same random numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from inarow.engine.board import OPEN, PLY, STATE, THREATS, load, new_board, place, tables_of, undo
from inarow.engine.rules import Rule
from inarow.game import Game, Outcome, Position
from inarow.plain.random_stream import RandomStream

WON, LOST, EVEN = 1, 2, 3
VALUES = {WON: 1.0, LOST: -1.0, EVEN: 0.0}


class Node:
    """A node, seen by the side that moved into it."""

    def __init__(self, cell: int) -> None:
        self.cell, self.children = cell, list[Node]()
        self.visits, self.mean, self.width, self.proven = 0, 0.0, 1e6, 0

    @property
    def told(self) -> tuple[int, int, float, int]:
        return self.cell, self.visits, self.mean, self.proven


class PlainWorld:
    """Random games on a `Position`."""

    def __init__(self, position: Position) -> None:
        self.root, self.game = position.copy(), position.game
        self.now = position.copy()

    def reset(self) -> None:
        self.now = self.root.copy()

    def put(self, cell: int) -> None:
        self.now.push(cell % self.game.columns)

    def result(self, side: int) -> float | None:
        """The end of the game for a side, None while it goes on."""
        outcome = self.now.outcome
        if outcome is None:
            return None
        return 0.0 if outcome is Outcome.DRAW else 1.0 if outcome.winner == side + 1 else -1.0

    def moves(self) -> list[int]:
        return sorted(self.now.cell_of(move) for move in self.now.legal_moves)

    def play_out(self, stream: RandomStream) -> None:
        cells = self.moves()
        while self.now.outcome is None:
            at = stream.below(len(cells))
            cell = cells[at]
            self.put(cell)
            above = cell + self.game.columns
            if self.game.gravity and above < self.game.cells:
                cells[at] = above
            else:
                cells[at] = cells[-1]
                cells.pop()


class BoardWorld:
    """Rules before random moves, on the compiled board, whose lists have an order of their own."""

    def __init__(self, position: Position, leaves: Any) -> None:
        self.tables, self.leaves = tables_of(position.game), leaves
        self.board, self.ply = new_board(self.tables), position.ply
        load(self.tables, self.board, np.array(position.stones, dtype=np.int8))

    def reset(self) -> None:
        while self.board.counters[PLY] > self.ply:
            undo(self.tables, self.board)

    def put(self, cell: int) -> None:
        place(self.tables, self.board, cell)

    def result(self, side: int) -> float | None:
        state = int(self.board.counters[STATE])
        return None if state == 0 else 0.0 if state == 3 else 1.0 if state == side + 1 else -1.0

    def moves(self) -> list[int]:
        return sorted(self._found(self.leaves.tree_rules.tolist()))

    def play_out(self, stream: RandomStream) -> None:
        while self.board.counters[STATE] == 0:
            cells = self._found(self.leaves.rules.tolist())
            self.put(cells[stream.below(len(cells))])

    def _found(self, rules: list[int]) -> list[int]:
        """The cells of the first rule that finds any, in the order of the board's lists."""
        board, side = self.board, int(self.board.counters[PLY]) & 1
        playable = board.open_cells[: board.counters[OPEN]].tolist()
        for rule in rules:
            cells = list[int]()
            if rule in (Rule.WIN, Rule.BLOCK):
                looked = side if rule == Rule.WIN else 1 - side
                threats = board.threat_cells[looked, : board.counters[THREATS + looked]]
                cells = [cell for cell in threats.tolist() if cell in playable]
            elif rule == Rule.AVOID:
                cells = [cell for cell in playable if board.threat[side, cell] == 0]
            if cells:
                return cells
        return playable


class PlainSearch:
    """A player that keeps its tree from move to move."""

    def __init__(self, game: Game, simulations: int, exploration: float, leaves: Any) -> None:
        self.game, self.simulations, self.exploration = game, simulations, exploration
        self.leaves = leaves if hasattr(leaves, "tree_rules") else None
        self.root = Node(0)

    def move(self, position: Position, stream: RandomStream, reply: tuple[int, int] | None) -> int:
        """The cell of the move; `reply` holds the two cells played since the last, if any were."""
        self.root = self._below(reply) or Node(0)
        world: Any = PlainWorld(position)
        if self.leaves is not None:
            world = BoardWorld(position, self.leaves)
        for _ in range(self.simulations):
            if self.root.proven or len(self.root.children) == 1:
                break
            world.reset()
            self._simulate(world, position.ply % 2, stream)
        ranks = {WON: 2, LOST: 0}
        best = max(self.root.children, key=lambda n: (ranks.get(n.proven, 1), n.visits, n.mean))
        return best.cell

    def _below(self, cells: tuple[int, int] | None) -> Node | None:
        node: Node | None = self.root
        for cell in cells or ():
            node = next((n for n in node.children if n.cell == cell), None) if node else None
        return node if cells else None

    def _simulate(self, world: Any, side: int, stream: RandomStream) -> None:
        path = [self.root]
        while not path[-1].proven:
            node = path[-1]
            if not node.children:
                if node.visits == 0 and node is not self.root:
                    break
                cells = world.moves()
                for i in range(len(cells) - 1, 0, -1):
                    j = stream.below(i + 1)
                    cells[i], cells[j] = cells[j], cells[i]
                node.children = [Node(cell) for cell in cells]
            bonus = self.exploration * math.sqrt(math.log(node.visits + 1.0))
            kept = [child for child in node.children if child.proven != LOST]
            path.append(max(kept, key=lambda child: child.mean + bonus * child.width))
            world.put(path[-1].cell)
            end = world.result(side)
            if end is not None:
                path[-1].proven = {1.0: WON, -1.0: LOST, 0.0: EVEN}[end]
            side = 1 - side
        value = VALUES.get(path[-1].proven)
        if value is None:
            world.play_out(stream)
            value = world.result(1 - side)
        for node, child in zip(reversed(path), [None, *reversed(path)], strict=False):
            if child is not None and child.proven:
                prove(node, child)
            value = VALUES.get(node.proven, value)
            node.visits += 1
            node.mean += (value - node.mean) / node.visits
            node.width = 1.0 / math.sqrt(node.visits)
            value = -value


def prove(node: Node, child: Node) -> None:
    """What a proven child says of its parent."""
    if child.proven == WON:
        node.proven = LOST
    elif all(other.proven for other in node.children):
        node.proven = EVEN if any(other.proven == EVEN for other in node.children) else WON
