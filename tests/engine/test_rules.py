"""Rule players: the moves of the plain reference, and each rule in positions made by hand."""

from functools import cache

import numpy as np
import pytest

from inarow.engine.board import PLY, new_board, tables_of
from inarow.engine.play_games import (
    DIFFERENT,
    DRAWS,
    FIRST_LINES,
    FIRST_WINS,
    GAMES,
    PLIES,
    SECOND_LINES,
    SECOND_WINS,
    Pairing,
    play_games,
)
from inarow.engine.players import Side, choose
from inarow.engine.rules import Rule, RuleList, Scan
from inarow.engine.streams import make_stream
from inarow.game import InputError, Outcome, Position
from inarow.game import game as make_game
from inarow.lab.players.names import RULE_PLAYERS
from inarow.plain.random_stream import RandomStream
from tests.engine.reference import PlainRulePlayer, plain_match

BOARDS = [
    "tictactoe",
    "connect4:4x4",
    "connect4:6x7",
    "cube",
    "ntictactoe:3^3",
    "mnk:9x9x5",
    "connect4:9x12",
    "ntictactoe:3^4",
    "board:3x3,k=1,scoring",
    "board:5x2,k=2,gravity,scoring",
    "mnk:4x4x3,wrap",
    "connect4:5x5,wrap",
]
WIN, BLOCK, SAFE, GREEDY = Rule.WIN, Rule.BLOCK, Rule.SAFE, Rule.GREEDY
NAMES = list(RULE_PLAYERS)

game = cache(make_game)


def compiled_match(
    name: str, first: RuleList, second: RuleList, games: int, seed: int
) -> tuple[list[list[int]], np.ndarray]:
    """The cells of each game played by the compiled loop, and what it counted."""
    tables = tables_of(game(name))
    board, counts = new_board(tables), np.zeros(8, dtype=np.int64)
    players = first.compiled(tables), second.compiled(tables)
    streams = make_stream(seed, 0), make_stream(seed, 1)
    played = []
    for _ in range(games):
        play_games(tables, board, Pairing(*players, *streams), 1, counts)
        played.append(board.history[: board.counters[PLY]].tolist())
    return played, counts


def twin_match(name: str, first: RuleList, second: RuleList, games: int, seed: int) -> list:
    """The same on plain boards."""
    players = (
        PlainRulePlayer(rules, RandomStream(make_stream(seed, side)))
        for side, rules in enumerate((first, second))
    )
    return plain_match(game(name), *players, games)


def compare(name: str, first: RuleList, second: RuleList, games: int, seed: int) -> None:
    """Both play the same games, and count them alike."""
    played, counts = compiled_match(name, first, second, games, seed)
    boards = twin_match(name, first, second, games, seed)
    assert played == [board.cells for board in boards]
    positions = [board.position for board in boards]
    assert counts[GAMES] == games
    assert counts[FIRST_WINS] == sum(p.outcome is Outcome.FIRST for p in positions)
    assert counts[SECOND_WINS] == sum(p.outcome is Outcome.SECOND for p in positions)
    assert counts[DRAWS] == sum(p.outcome is Outcome.DRAW for p in positions)
    assert counts[PLIES] == sum(p.ply for p in positions)
    assert counts[FIRST_LINES] == sum(p.score[0] for p in positions)
    assert counts[SECOND_LINES] == sum(p.score[1] for p in positions)


@pytest.mark.parametrize("scan", Scan)
@pytest.mark.parametrize("player", NAMES)
@pytest.mark.parametrize("name", BOARDS)
def test_the_same_games_as_the_plain_twin(name, player, scan):
    """Every player in every order, on both sides, against another one each time."""
    number = NAMES.index(player)
    rules = RuleList(RULE_PLAYERS[player].rules.variants, scan)
    opponent = RULE_PLAYERS[NAMES[(number + scan + 1) % len(NAMES)]].rules
    games = 1 if game(name).cells > 64 else 3
    compare(name, rules, opponent, games, seed=number)
    compare(name, opponent, rules, games, seed=number)


@pytest.mark.parametrize("name", ["tictactoe,misere", "connect4:5x5,wrap,misere"])
@pytest.mark.parametrize("scan", Scan)
def test_where_a_line_loses_players_avoid_lines(name, scan):
    safe, wild = RuleList(((WIN, BLOCK, SAFE),), scan), RuleList(((),), scan)
    compare(name, safe, wild, 8, seed=3)
    compare(name, wild, safe, 8, seed=4)
    for played, side in ((compiled_match(name, safe, wild, 8, 3)[0], 0),):
        for cells in played:
            position = Position(game(name))
            for ply, cell in enumerate(cells):
                open_cells = [position.cell_of(move) for move in position.legal_moves]
                position.push(cell % game(name).columns)
                if ply % 2 == side and position.score[side]:  # only where every cell does
                    position.pop()
                    for other in open_cells:
                        position.push(other % game(name).columns)
                        assert position.score[side]
                        position.pop()
                    position.push(cell % game(name).columns)


@pytest.mark.parametrize("player", NAMES)
def test_where_a_line_loses_rules_to_make_lines_are_refused(player):
    tables, rules = tables_of(game("tictactoe,misere")), RULE_PLAYERS[player].rules
    if player in ("random", "benchmark"):
        assert rules.compiled(tables)
    else:
        with pytest.raises(InputError, match="where a line loses"):
            rules.compiled(tables)


@pytest.mark.parametrize("player", NAMES)
def test_named_players_in_a_long_match(player):
    rules = RULE_PLAYERS[player].rules
    compare("tictactoe", rules, RULE_PLAYERS["combined"].rules, 60, seed=5)
    compare("connect4:4x4", RULE_PLAYERS["combined"].rules, rules, 30, seed=6)


def test_one_call_is_as_many_calls_of_one_game():
    tables = tables_of(game("connect4:4x4"))
    rules = RULE_PLAYERS["combined"].rules, RULE_PLAYERS["benchmark"].rules
    _, one_by_one = compiled_match("connect4:4x4", *rules, 50, seed=8)
    counts = np.zeros(8, dtype=np.int64)
    players = [r.compiled(tables) for r in rules]
    streams = make_stream(8, 0), make_stream(8, 1)
    play_games(tables, new_board(tables), Pairing(*players, *streams), 50, counts)
    assert counts[:DIFFERENT].tolist() == one_by_one[:DIFFERENT].tolist()
    # Apart from the first, games that differ from it are counted.
    boards = twin_match("connect4:4x4", *rules, 50, seed=8)
    assert counts[DIFFERENT] == sum(board.cells != boards[0].cells for board in boards)
    assert counts[DIFFERENT] > 40


def test_players_without_chance_repeat_one_game():
    tables, counts = tables_of(game("tictactoe")), np.zeros(8, dtype=np.int64)
    fixed = RuleList(((GREEDY,),), Scan.CELLS)
    streams = make_stream(1, 0), make_stream(1, 1)
    players = fixed.compiled(tables), fixed.compiled(tables)
    play_games(tables, new_board(tables), Pairing(*players, *streams), 1000, counts)
    assert counts[GAMES] == 1000
    assert counts[DIFFERENT] == 0


# Positions made by hand


def choices(name: str, moves: str, rules: RuleList, tries: int = 60) -> set[int]:
    """All moves that a player is seen to choose in a position."""
    tables, stream = tables_of(game(name)), make_stream(2)
    board, player = new_board(tables), rules.compiled(tables)
    stones = np.array(game(name).position(moves).stones, dtype=np.int8)
    return {Side(tables, board, player, stream).choose_in(stones) for _ in range(tries)}


def by(*rules: Rule, scan: Scan = Scan.RANDOM) -> RuleList:
    return RuleList((rules,), scan)


def stones(text: str) -> str:
    """The notation of tic-tac-toe moves by the numbers of the cells, 0 1 2 the first row."""
    position = Position(game("tictactoe"))
    for cell in text.split():
        position.push(int(cell))
    return position.notation


def test_the_first_rule_that_finds_a_cell_decides():
    # First: 0 1, wins on 2. Second: 3 4, wins on 5. The first player is to move.
    both = stones("0 3 1 4")
    assert choices("tictactoe", both, by(WIN, BLOCK)) == {2}
    assert choices("tictactoe", both, by(BLOCK, WIN)) == {5}
    assert choices("tictactoe", both, by(WIN)) == {2}
    assert choices("tictactoe", both, by(BLOCK)) == {5}
    assert choices("tictactoe", both, by()) == {2, 5, 6, 7, 8}
    assert choices("tictactoe", both, by(SAFE, WIN)) == {2, 5, 6, 7, 8}


def test_win_is_the_own_line_and_block_the_other_ones():
    # The same with the second player to move: the sides change their parts.
    both = stones("0 3 1 4 8")
    assert choices("tictactoe", both, by(WIN)) == {5}
    assert choices("tictactoe", both, by(BLOCK)) == {2}


def test_without_a_find_the_move_is_random():
    for rules in (by(), by(WIN), by(BLOCK), by(WIN, BLOCK)):
        assert choices("tictactoe", stones("4"), rules) == {0, 1, 2, 3, 5, 6, 7, 8}
        assert choices("connect4:6x7", "44", rules) == set(range(7))


def test_a_line_in_the_air_can_neither_be_completed_nor_blocked():
    #  . X X X . . .
    #  . O X O . . O
    air = "3224473"
    assert choices("connect4:6x7", air, by(BLOCK)) == set(range(7))
    assert choices("connect4:6x7", air, by(SAFE)) == {1, 2, 3, 5, 6}
    assert choices("connect4:6x7", air + "7", by(WIN)) == set(range(7))
    assert choices("connect4:6x7", air + "1", by(WIN)) == {0}
    assert choices("connect4:6x7", air + "17", by(BLOCK)) == {0}


def test_safe_does_not_let_the_other_side_win_on_top():
    #  . O O O . . .
    #  . X X X . . .   The first player to move wins on 1 or 5; the second would do so on top.
    assert choices("connect4:6x7", "223344", by(SAFE)) == {1, 2, 3, 5, 6}
    assert choices("connect4:6x7", "223344", by(WIN, BLOCK, SAFE)) == {0, 4}
    # What the own side could complete on top is no reason to stay away.
    assert choices("connect4:6x7", "2233447", by(SAFE)) == set(range(7))


def test_safe_gives_way_when_nothing_is_safe():
    # Two in a row are counted on four rows of three; the middle column holds X O X O.
    name = "board:4x3,k=2,gravity,scoring"
    assert choices(name, "2222", by(SAFE)) == {0, 2}
    assert choices(name, "222", by(SAFE)) == {1}  # nothing lies above the top


def test_greedy_completes_most_lines_then_takes_the_cell_on_most():
    assert choices("tictactoe", "", by(GREEDY)) == {4}
    assert choices("tictactoe", stones("4"), by(GREEDY)) == {0, 2, 6, 8}
    assert choices("tictactoe", stones("4 0"), by(GREEDY)) == {2, 6, 8}
    # A line on an edge counts more than the centre.
    assert choices("tictactoe", stones("0 3 2 5"), by(GREEDY)) == {1}
    assert choices("ntictactoe:3^3", "", by(GREEDY)) == {13}
    # Three in a row counted on 3x4: 5 completes a row and a column, more than any other cell.
    position = Position(game("board:3x4,k=3,scoring"))
    for cell in (1, 3, 9, 0, 4, 8, 6, 11):
        position.push(cell)
    assert choices("board:3x4,k=3,scoring", position.notation, by(GREEDY)) == {5}


def test_scan_lines_takes_rows_before_columns_before_diagonals():
    def pick(text: str, rule: Rule, scan: Scan = Scan.LINES) -> set[int]:
        return choices("tictactoe", stones(text), by(rule, scan=scan))

    # 6 7 2 win on 8 by a row, on 4 by a diagonal.
    assert pick("6 0 7 1 2 5", WIN) == {8}
    assert pick("6 0 7 1 2 5", WIN, Scan.CELLS) == {4}
    assert pick("6 0 7 1 2 5", WIN, Scan.RANDOM) == {4, 8}
    # 0 6 8 win on 7 by a row, on 3 by a column, on 4 by a diagonal.
    assert pick("0 1 6 2 8 5", WIN) == {7}
    assert pick("0 1 6 2 8 5", WIN, Scan.CELLS) == {3}
    assert pick("0 1 6 2 8 5", WIN, Scan.RANDOM) == {3, 4, 7}
    # 2 6 5 win on 8 by a column, on 4 by a diagonal.
    assert pick("2 3 6 0 5 1", WIN) == {8}
    assert pick("2 3 6 0 5 1", WIN, Scan.CELLS) == {4}
    # What is to be blocked is looked for in the same order.
    assert pick("6 0 7 1 2", BLOCK) == {8}
    assert pick("6 0 7 1 2", BLOCK, Scan.CELLS) == {4}
    # Rules that are not about lines go by number.
    assert choices("tictactoe", stones("4"), by(GREEDY, scan=Scan.LINES)) == {0}
    # Without a find the move is random.
    assert choices("tictactoe", "", by(WIN, scan=Scan.LINES)) == set(range(9))


def test_scan_cells_takes_the_lowest_column():
    # Three of the first player upright in column 1, and three on the ground beside column 7.
    both = "435263121312"
    assert choices("connect4:6x7", both, by(WIN, scan=Scan.CELLS)) == {0}
    assert choices("connect4:6x7", both, by(WIN, scan=Scan.LINES)) == {6}
    assert choices("connect4:6x7", both, by(WIN)) == {0, 6}
    assert choices("connect4:6x7", "415161", by(WIN, scan=Scan.CELLS)) == {2}
    assert choices("connect4:6x7", "", by(SAFE, scan=Scan.CELLS)) == {0}
    assert choices("connect4:6x7", "", by(WIN, scan=Scan.CELLS)) == set(range(7))


def test_scan_game_keeps_one_order_within_a_game():
    tables = tables_of(game("tictactoe"))
    stream, orders = make_stream(9), set()
    for _ in range(40):
        rules = by(WIN, scan=Scan.GAME)
        board, counts = new_board(tables), np.zeros(8, dtype=np.int64)
        player, other = rules.compiled(tables), by(scan=Scan.GAME).compiled(tables)
        play_games(tables, board, Pairing(player, other, stream, make_stream(1)), 1, counts)
        first_moves = board.history[:1].tolist()
        empty = np.zeros(9, dtype=np.int8)
        again = {Side(tables, board, player, stream).choose_in(empty) for _ in range(20)}
        assert again == set(first_moves)
        order = []
        taken = np.zeros(9, dtype=np.int8)
        for _ in range(9):
            order.append(Side(tables, board, by_key(player), stream).choose_in(taken))
            taken[order[-1]] = 1 if len(order) % 2 else 2
        assert sorted(order) == list(range(9))
        orders.add(tuple(order))
    assert len(orders) == 40


def by_key(player):
    """The same player and the same order, without its rules."""
    return player._replace(rules=np.zeros_like(player.rules))


def test_the_variant_is_drawn_for_each_game():
    tables = tables_of(game("tictactoe"))
    player = RULE_PLAYERS["combined"].rules.compiled(tables)
    random_player = by().compiled(tables)
    board, counts, drawn = new_board(tables), np.zeros(8, dtype=np.int64), []
    streams = make_stream(3, 0), make_stream(3, 1)
    for _ in range(200):
        play_games(tables, board, Pairing(player, random_player, *streams), 1, counts)
        drawn.append(int(player.memory[0]))
    assert set(drawn) == {0, 1, 2, 3}
    assert max(drawn.count(variant) for variant in range(4)) < 50 + 5 * (200 * 3 / 16) ** 0.5


def test_a_random_choice_is_even():
    tables, stream = tables_of(game("tictactoe")), make_stream(4)
    board, player = new_board(tables), by(GREEDY).compiled(tables)
    position = np.array(game("tictactoe").position(stones("4")).stones, dtype=np.int8)
    picks = [Side(tables, board, player, stream).choose_in(position) for _ in range(4000)]
    counts = [picks.count(cell) for cell in (0, 2, 6, 8)]
    assert sum(counts) == 4000
    assert all(abs(count - 1000) < 5 * 750**0.5 for count in counts)


def test_what_is_no_compiled_player_is_refused():
    with pytest.raises(TypeError, match="str is not a compiled player"):
        choose(None, None, "attack", None)


def test_rule_lists_end_with_end():
    tables = tables_of(game("tictactoe"))
    player = RuleList(((WIN,), (), (BLOCK, WIN, SAFE))).compiled(tables)
    assert player.rules.tolist() == [[1, 0, 0, 0], [0, 0, 0, 0], [2, 1, 3, 0]]
    other = RuleList(((WIN,),)).compiled(tables)
    assert other.memory is not player.memory
    assert other.found is not player.found
