"""Proof-number search (df-pn), and proofs that one side wins."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from inarow.engine.board import Int64s, Words
from inarow.engine.jit import inline, jit
from inarow.game import Game, InputError
from inarow.game.progress import Progress
from inarow.graph.graph import image_of
from inarow.search import threats
from inarow.search.bitboard import MAX_BITS, ONE, ZERO, Word, lowest, popcount, signed
from inarow.search.masks import Lines, completing, lines_of, symmetries_in_use
from inarow.search.threats import (
    LOST,
    OPEN,
    WON,
    Threats,
    cached_unrefuted,
    mixed,
    new_known,
    new_threats,
    threats_of,
)

# Proof-number search (df-pn): does one side, the attacker, win?
#
# For boards of at most 64 cells where stones do not fall. Leaves are decided by threat sequences
# (`threats`), which do the bulk of the work. A node carries two numbers, both from its side to
# move: `reach`, how much is still to be shown before its goal is reached, and `fail`, how much
# before that is refuted; 0 and INFINITE where it is settled. The goal of the attacker is to win,
# that of the defender is not to lose. So, with the numbers of the children:
#
#     reach = min fail            fail = max reach + (children not settled so) - 1
#
# That maximum (instead of the sum) counts what transpositions share once: the weak form of T. Ueda
# et al., "Weak proof-number search" (2008); depth first with thresholds as in A. Nagai's df-pn
# (2002), where a threshold leaves a quarter more than the second best child (J. Pawlewicz and
# L. Lew, "Improving depth-first PN-search: 1 + epsilon trick", 2007).
#
# With `width` below the number of cells only that many of the attacker's moves are tried: then a
# win found is a win, but a failure says nothing.
#
# The table keeps a position as the least of its images under the symmetries of the game, whole, so
# that none is ever taken for another. Which image that is, is told by hashes of all images that are
# updated with every stone (a chance collision of two of them can only hide that two positions are
# alike).

INFINITE = 1_000_000_000
GAIN_STEP = 6  # so much less weight of a move makes its first number one larger

OWN, OTHER, MINE, FORCED, KEY, OTHER_KEY = range(6)  # of a node's words
REACH_LIMIT, FAIL_LIMIT, COUNT, BEST, BEGAN = range(5)  # of its numbers
MOVE, CHILD_KEY, CHILD_OTHER_KEY = range(3)  # of a child's words
REACH, FAIL, WEIGHT = range(3)  # of its numbers
DEPTH, VISITS, ATTACKER, MOVER, WIDTH, RESULT = range(6)  # of the state

ENTRY, BUCKET = Word(4), 4  # words of a table entry: first, second, numbers, work and attacker
NOWHERE = Word(2**64 - 1)


class Proof(NamedTuple):
    """The memory of a proof. A row for each node from the first to the present one."""

    words: Words  # [65, 6] stones of the side to move and of the other, where they would win, key
    numbers: Int64s  # [65, 5] its thresholds, its children, the best of them, visits before it
    child_words: Words  # [65, 64, 3] move and key of each child
    child_numbers: Int64s  # [65, 64, 3] its numbers, from its own side to move; its weight
    hashes: Words  # [65, symmetries] of all images of the node
    stones: Words  # [2, cells, symmetries] what a stone of either player changes in them
    table: Words
    known: Words  # see `threats`
    threats: Threats
    state: Int64s  # [6]


def new_proof(game: Game, table_bits: int, known_bits: int, failed_bits: int) -> Proof:
    """Memory for proofs about a game, with so many entries (logarithm to base 2) in each table."""
    symmetries = symmetries_in_use(game)
    cells = np.random.default_rng(1).integers(0, 2**64, (2, game.cells), dtype=np.uint64)
    rows = MAX_BITS + 1
    return Proof(
        words=np.zeros((rows, 6), dtype=np.uint64),
        numbers=np.zeros((rows, 5), dtype=np.int64),
        child_words=np.zeros((rows, MAX_BITS, 3), dtype=np.uint64),
        child_numbers=np.zeros((rows, MAX_BITS, 3), dtype=np.int64),
        hashes=np.zeros((rows, len(symmetries)), dtype=np.uint64),
        stones=np.ascontiguousarray(cells[:, symmetries].transpose(0, 2, 1)),
        table=np.zeros(int(ENTRY) << table_bits, dtype=np.uint64),
        known=new_known(known_bits),
        threats=new_threats(failed_bits),
        state=np.zeros(6, dtype=np.int64),
    )


@inline
def child_key(
    lines: Lines,
    proof: Proof,
    depth: int,
    first: np.uint64,
    second: np.uint64,
    player: int,
    cell: np.uint64,
) -> tuple[np.uint64, np.uint64]:
    """The key of a node's child: `first` and `second` are the stones after the move."""
    least, symmetry = NOWHERE, 0
    for number in range(proof.hashes.shape[1]):
        least = min(least, proof.hashes[depth, number] ^ proof.stones[player, cell, number])
    while proof.hashes[depth, symmetry] ^ proof.stones[player, cell, symmetry] != least:
        symmetry += 1
    return image_of(lines.images, symmetry, first), image_of(lines.images, symmetry, second)


@inline
def find(table: Words, key: np.uint64, other_key: np.uint64, attacker: int) -> np.uint64:
    """Return where the entry of a position begins, or NOWHERE."""
    start = (mixed(key, other_key) << Word(4)) & Word(len(table) - 1)
    for _ in range(BUCKET):
        work = table[start + Word(3)]
        same = table[start] == key and table[start + ONE] == other_key
        if same and work != ZERO and (work & ONE) == Word(attacker):
            return start
        start += ENTRY
    return NOWHERE


@inline
def keep(table: Words, words: Words, attacker: int, reach: int, fail: int, work: int) -> None:
    """Store the numbers of a node: over its own, else over the least work."""
    key, other_key = words[KEY], words[OTHER_KEY]
    place = find(table, key, other_key, attacker)
    if place == NOWHERE:
        start = (mixed(key, other_key) << Word(4)) & Word(len(table) - 1)
        place = start
        for _ in range(BUCKET):
            if table[start + Word(3)] < table[place + Word(3)]:
                place = start
            start += ENTRY
    table[place], table[place + ONE] = key, other_key
    table[place + Word(2)] = (Word(reach) << Word(32)) | Word(fail)
    table[place + Word(3)] = (Word(work) << ONE) | Word(attacker)


@inline
def can_win(lines: Lines, other: np.uint64) -> bool:
    """Return whether a line is left that the other side has no stone on."""
    found = False
    for line in range(len(lines.masks)):
        found |= (lines.masks[line] & other) == ZERO
    return found


@inline
def weigh(lines: Lines, own: np.uint64, other: np.uint64, cell: np.uint64) -> int:
    """Return how much a stone on a cell does.

    Each line through it that only one side has stones on counts, thrice as much for each of these
    stones, and more for one's own than for the other's.
    """
    weight = 0
    for place in range(lines.start[cell], lines.start[cell + ONE]):
        mine, yours = lines.through[place] & own, lines.through[place] & other
        if mine == ZERO or yours == ZERO:
            line = 6 if yours == ZERO else 4
            for _ in range(popcount(mine | yours)):
                line *= 3
            weight += line
    return weight // 3


@inline
def list_children(lines: Lines, proof: Proof, depth: int, moves: np.uint64) -> None:
    """Write the children of a node, the heaviest first, equal images once.

    A child whose numbers are not known begins the more slowly, the lighter its move is.
    """
    words, children = proof.child_words[depth], proof.child_numbers[depth]
    own, other = proof.words[depth, OWN], proof.words[depth, OTHER]
    count = 0
    while moves != ZERO:
        move = lowest(moves)
        moves ^= move
        weight = weigh(lines, own, other, popcount(move - ONE))
        place = count
        while place > 0 and children[place - 1, WEIGHT] < weight:
            children[place, WEIGHT] = children[place - 1, WEIGHT]
            words[place, MOVE] = words[place - 1, MOVE]
            place -= 1
        children[place, WEIGHT], words[place, MOVE] = weight, move
        count += 1
    player = (proof.state[MOVER] + depth) & 1
    most = proof.state[WIDTH] if player == proof.state[ATTACKER] else MAX_BITS
    heaviest, kept = children[0, WEIGHT], 0
    for place in range(count):
        if kept == most:
            break
        move, weight = words[place, MOVE], children[place, WEIGHT]
        first, second = (own | move, other) if player == 0 else (other, own | move)
        key, other_key = child_key(lines, proof, depth, first, second, player, popcount(move - ONE))
        new = True
        for before in range(kept):
            if words[before, CHILD_KEY] == key and words[before, CHILD_OTHER_KEY] == other_key:
                new = False
        if new:
            words[kept, MOVE], words[kept, CHILD_KEY] = move, key
            words[kept, CHILD_OTHER_KEY] = other_key
            children[kept, REACH] = 1
            children[kept, FAIL] = 1 + (heaviest - weight) // GAIN_STEP
            kept += 1
    proof.numbers[depth, COUNT] = kept
    look_up_children(proof, depth, -1)


@inline
def look_up_children(proof: Proof, depth: int, but: int) -> None:
    """Read the numbers of all children but one from the table again."""
    words, children = proof.child_words[depth], proof.child_numbers[depth]
    for place in range(proof.numbers[depth, COUNT]):
        if place != but and children[place, REACH] != 0 and children[place, FAIL] != 0:
            key, other_key = words[place, CHILD_KEY], words[place, CHILD_OTHER_KEY]
            found = find(proof.table, key, other_key, proof.state[ATTACKER])
            if found != NOWHERE:
                numbers = proof.table[found + Word(2)]
                children[place, REACH] = signed(numbers >> Word(32))
                children[place, FAIL] = signed(numbers & Word(0xFFFFFFFF))


@inline
def enter(lines: Lines, proof: Proof, depth: int) -> tuple[int, int]:
    """Return the numbers of a node settled at once; else (1, 1), with its children."""
    words = proof.words[depth]
    own, other = words[OWN], words[OTHER]
    attacks = (proof.state[MOVER] + depth) & 1 == proof.state[ATTACKER]
    status, moves = cached_unrefuted(
        lines, proof.threats, proof.known, own, other, words[MINE], words[FORCED]
    )
    if status == OPEN and (moves == ZERO or not can_win(lines, other if attacks else own)):
        status = LOST if attacks else WON  # not a win for the defender, but its goal is reached
    if status == WON:
        return 0, INFINITE
    if status == LOST:
        return INFINITE, 0
    list_children(lines, proof, depth, moves)
    return 1, 1


@inline
def sum_up(proof: Proof, depth: int) -> tuple[int, int]:
    """Return a node's numbers by its children's, and write the best child's limits."""
    numbers, children = proof.numbers[depth], proof.child_numbers[depth]
    least, second, most, open_ones = INFINITE + 1, INFINITE + 1, 0, 0
    for place in range(numbers[COUNT]):
        fail, reach = children[place, FAIL], children[place, REACH]
        if fail < least:
            least, second = fail, least
            numbers[BEST] = place
        elif fail < second:
            second = fail
        most = max(most, reach)
        open_ones += reach > 0
    if least == 0:
        return 0, INFINITE
    if open_ones == 0:
        return INFINITE, 0
    below = proof.numbers[depth + 1]
    below[FAIL_LIMIT] = min(numbers[REACH_LIMIT], second + (second >> 2) + 1)
    below[REACH_LIMIT] = min(numbers[FAIL_LIMIT] - (open_ones - 1), INFINITE)
    return min(least, INFINITE), min(most + open_ones - 1, INFINITE)


@inline
def descend(lines: Lines, proof: Proof, depth: int) -> None:
    """Write the node after the best move."""
    words, below = proof.words[depth], proof.words[depth + 1]
    best = proof.numbers[depth, BEST]
    move = proof.child_words[depth, best, MOVE]
    cell, player = popcount(move - ONE), (proof.state[MOVER] + depth) & 1
    below[OWN], below[OTHER] = words[OTHER], words[OWN] | move
    below[MINE] = words[FORCED] & ~move
    below[FORCED] = threats_of(lines, below[OTHER], below[OWN], move) | (words[MINE] & ~move)
    below[KEY] = proof.child_words[depth, best, CHILD_KEY]
    below[OTHER_KEY] = proof.child_words[depth, best, CHILD_OTHER_KEY]
    for number in range(proof.hashes.shape[1]):
        change = proof.stones[player, cell, number]
        proof.hashes[depth + 1, number] = proof.hashes[depth, number] ^ change


@jit
def prove(lines: Lines, proof: Proof, stop: int) -> bool:
    """Go on until the first node is settled; False after `stop` visits."""
    state, numbers = proof.state, proof.numbers
    depth, visits = state[DEPTH], state[VISITS]
    while visits < stop:
        visits += 1
        numbers[depth, BEGAN] = visits
        reach, fail = enter(lines, proof, depth)
        if reach == 1:
            reach, fail = sum_up(proof, depth)
        while (
            reach >= numbers[depth, REACH_LIMIT]
            or fail >= numbers[depth, FAIL_LIMIT]
            or (reach == 0 or fail == 0)
        ):
            work = visits - numbers[depth, BEGAN] + 1
            keep(proof.table, proof.words[depth], state[ATTACKER], reach, fail, work)
            if depth == 0:
                state[VISITS], state[RESULT] = visits, reach
                return True
            depth -= 1
            best = numbers[depth, BEST]
            proof.child_numbers[depth, best, REACH] = reach
            proof.child_numbers[depth, best, FAIL] = fail
            look_up_children(proof, depth, best)
            reach, fail = sum_up(proof, depth)
        descend(lines, proof, depth)
        depth += 1
    state[DEPTH], state[VISITS] = depth, visits
    return False


@jit
def begin(
    lines: Lines, proof: Proof, own: np.uint64, other: np.uint64, mover: int, attacker: int
) -> None:
    """Make a position that goes on the first node. Players are 0 and 1 here."""
    words = proof.words[0]
    words[OWN], words[OTHER] = own, other
    words[MINE], words[FORCED] = completing(lines, own, other), completing(lines, other, own)
    first, second = (own, other) if mover == 0 else (other, own)
    for number in range(proof.hashes.shape[1]):
        proof.hashes[0, number] = ZERO
    for player in range(2):
        stones = first if player == 0 else second
        while stones != ZERO:
            stone = lowest(stones)
            stones ^= stone
            for number in range(proof.hashes.shape[1]):
                proof.hashes[0, number] ^= proof.stones[player, popcount(stone - ONE), number]
    least, symmetry = NOWHERE, 0
    for number in range(proof.hashes.shape[1]):
        if proof.hashes[0, number] < least:
            least, symmetry = proof.hashes[0, number], number
    words[KEY], words[OTHER_KEY] = (
        image_of(lines.images, symmetry, first),
        image_of(lines.images, symmetry, second),
    )
    proof.numbers[0, REACH_LIMIT] = proof.numbers[0, FAIL_LIMIT] = INFINITE
    proof.numbers[0, COUNT] = 0
    proof.state[DEPTH], proof.state[MOVER], proof.state[ATTACKER] = 0, mover, attacker


# Proofs that one side wins, on boards of at most 64 cells where stones do not fall.

CHUNK = 10_000  # visits between two looks at a person who wants to stop: a quarter of a second
WIDTH_FOR_WINS = 10  # of the attacker's moves, so many are tried where only wins are of interest


@lru_cache(maxsize=64)
def is_provable(game: Game) -> bool:
    """Return whether threat sequences and proofs work for a game."""
    return game == Game(game.shape, game.k) and game.cells <= MAX_BITS


@jit
def find_proven(lines: Lines, proof: Proof, first: np.uint64, second: np.uint64) -> np.uint64:
    """The move of the first player with the least work that the table holds a proof for, or 0."""
    begin(lines, proof, first, second, 0, 0)
    best, least = ZERO, NOWHERE
    moves = lines.board & ~(first | second)
    while moves != ZERO:
        move = lowest(moves)
        moves ^= move
        cell = popcount(move - ONE)
        key, other_key = child_key(lines, proof, 0, first | move, second, 0, cell)
        place = find(proof.table, key, other_key, 0)
        if place != NOWHERE and (proof.table[place + Word(2)] & Word(0xFFFFFFFF)) == ZERO:
            work = proof.table[place + Word(3)]
            if work < least:
                best, least = move, work
    return best


class Prover:
    """A prover of wins in one game, with tables that serve its next proof.

    With a `width` below the number of cells it looks for wins only, among so many of the
    attacker's moves; that an attacker cannot win is only found out with all of them.
    """

    def __init__(self, game: Game, table_bits: int = 18, width: int = WIDTH_FOR_WINS) -> None:
        if not is_provable(game):
            raise InputError(
                f"{game.name} is out of reach: threat sequences are for boards of at most "
                f"{MAX_BITS} cells where stones do not fall and the first line wins"
            )
        self.game, self.lines = game, lines_of(game)
        self.proof = new_proof(game, table_bits, table_bits - 1, table_bits + 1)
        self.proof.state[WIDTH] = min(width, game.cells)

    @property
    def visits(self) -> int:
        """The nodes of all proofs so far, each visit counted."""
        return int(self.proof.state[VISITS])

    @property
    def threat_nodes(self) -> int:
        """The nodes of the threat searches inside."""
        return int(self.proof.threats.state[threats.NODES])

    def wins(
        self,
        stones: tuple[int, int],
        mover: int,
        attacker: int,
        limit: int,
        progress: Progress | None = None,  # told the visits so far
    ) -> bool | None:
        """Return whether a player wins a position that goes on; None if that was not found out.

        `stones` are the first and the second player's (cell c is bit c); `mover` and `attacker`
        are 0 for the first player and 1 for the second. `limit` is in visits.
        """
        proof, own, other = self.proof, Word(stones[mover]), Word(stones[1 - mover])
        begin(self.lines, proof, own, other, mover, attacker)
        stop = self.visits + limit
        while not prove(self.lines, proof, min(self.visits + CHUNK, stop)):
            if self.visits >= stop:
                return None
            if progress is not None:
                progress(self.visits)
        wins = (int(proof.state[RESULT]) == 0) == (mover == attacker)
        return wins if wins or proof.state[WIDTH] == self.game.cells else None

    def winning_move(self) -> int | None:
        """The move that won the last proof, where its attacker was to move.

        None where the position was won at once, by completing a line or by a threat sequence.
        """
        numbers = self.proof.numbers[0]
        if numbers[COUNT] == 0:
            return None
        return int(self.proof.child_words[0, numbers[BEST], MOVE]).bit_length() - 1

    def proven_move(self, first: int, second: int) -> int | None:
        """A move of the first player, who is to move, that an earlier proof found to win."""
        move = find_proven(self.lines, self.proof, Word(first), Word(second))
        return int(move).bit_length() - 1 if move else None
