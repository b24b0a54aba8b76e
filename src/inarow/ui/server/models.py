"""What programs send to the API and what they get back; its OpenAPI schema is made from this."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from inarow.game.names import NAME_PATTERN

MAX_TEXT = 4_000  # characters of a position's moves
MAX_NAME = 120  # characters of a name
MAX_SEED = 2**63 - 1
MAX_SECONDS = 2.0  # of a search

# How names are written; whether there is such a player is found out later.
PLAYER_PATTERN = (
    r"^[A-Za-z0-9_][A-Za-z0-9._+=-]*(:[\w^,+-]{1,60}){0,3}(@[a-z]{1,12})?(/[0-9.]{1,9}s)?$"
)
MOVES_PATTERN = r"^[0-9, ]*$"

_NAME = Field(max_length=MAX_NAME)
GameName = Annotated[
    str,
    _NAME,
    Field(pattern=NAME_PATTERN, description="a game, as GET /games lists them"),
    Field(examples=["tictactoe", "connect4:6x7", "ntictactoe:3^4"]),
]
PlayerName = Annotated[
    str,
    _NAME,
    Field(
        pattern=PLAYER_PATTERN,
        description="a player, as GET /players lists them; a saved agent by its file's name alone",
        examples=["random", "minimax:6", "perfect", "best.safetensors"],
    ),
]
Moves = Annotated[
    str,
    Field(
        max_length=MAX_TEXT,
        pattern=MOVES_PATTERN,
        description=(
            "the moves so far: coordinates counted from 1, without the height where stones fall, "
            "as in 4453 for Connect-4 or 22 13 for tic-tac-toe; empty for the empty board"
        ),
        examples=["", "4453", "22 13"],
    ),
]
Seed = Annotated[
    int,
    Field(
        ge=0,
        le=MAX_SEED,
        description="what is left to chance is drawn from it: the same seed, the same answer",
    ),
]


class Question(BaseModel):
    """Something a program sends: nothing unknown in it, and no text where a number belongs."""

    model_config = ConfigDict(extra="forbid", strict=True)


class PositionQuestion(Question):
    """A position."""

    game: GameName
    moves: Moves = ""


class ValuesQuestion(PositionQuestion):
    """A position, and whose estimate of it is wanted beside the exact values."""

    player: PlayerName | None = None


class SearchQuestion(PositionQuestion):
    """A position or a game, and how long to search."""

    seconds: Annotated[
        float,
        Field(
            gt=0,
            le=MAX_SECONDS,
            description="what is found by then is answered; for a game, of all its positions",
        ),
    ] = MAX_SECONDS


class MoveQuestion(PositionQuestion):
    """A position, and who is to move in it."""

    player: PlayerName
    seed: Seed = 0


class Error(BaseModel):
    """What was wrong, in one line."""

    error: str


class GameForm(BaseModel):
    """How some games are named."""

    form: str = Field(description="capitals stand for numbers, brackets for what may be left out")
    about: str


class GameExample(BaseModel):
    """A game that people play."""

    name: str
    title: str
    value: Literal["first", "second", "draw"] | None = Field(
        description="who wins when both play perfectly, where this package has solved it"
    )


class Limits(BaseModel):
    """What is refused above."""

    cells: int = Field(description="of a board")
    text: int = Field(description="characters of a position's moves")
    body: int = Field(description="bytes of a question")
    seconds: float = Field(description="of computation for one question, about")
    analysed: int = Field(description="moves of a game that is analysed")
    ntuple_depth: int = Field(description="moves that the player ntuple looks ahead")


class Games(BaseModel):
    """All games."""

    forms: list[GameForm]
    variants: list[GameForm] = Field(description="what every name may end with")
    examples: list[GameExample]
    limits: Limits


class GameDescription(BaseModel):
    """One game."""

    name: str = Field(description="its shortest name")
    shape: list[int] = Field(description="the sides; where stones fall, the height comes first")
    k: int = Field(description="stones in a line that count")
    gravity: bool = Field(description="whether stones fall")
    scoring: bool = Field(description="lines are counted to the end; else the first one wins")
    wrap: list[int] = Field(description="the axes, from 0, that wrap around")
    misere: bool = Field(description="whoever completes a line loses")
    cells: int = Field(description="row-major numbers from 0; with gravity from the bottom up")
    moves: list[str] = Field(description="every move, as text; the legal ones change")
    lines: list[list[int]] = Field(description="the cells of every line")


class PlayerForm(BaseModel):
    """How some players are named."""

    form: str
    about: str


class SavedAgent(BaseModel):
    """An agent in the server's folder."""

    name: str
    game: str = Field(description="the only one it plays")
    learner: str


class Players(BaseModel):
    """All players."""

    forms: list[PlayerForm]
    agents: list[SavedAgent]


class PositionDescription(BaseModel):
    """A position."""

    game: str
    moves: str = Field(description="in the notation of the project")
    ply: int = Field(description="stones on the board")
    to_move: int | None = Field(ge=1, le=2, description="1 or 2; null when the game is over")
    stones: list[int] = Field(description="by cell: 0 none, 1 or 2 that player's")
    legal_moves: list[str] = Field(description="none when the game is over")
    outcome: Literal["first", "second", "draw"] | None = Field(
        description="who won; null while the game goes on"
    )
    score: list[int] = Field(description="lines of the first and of the second player")
    lines: list[list[int]] = Field(description="the lines that the last stone completed, as cells")


class ExactMove(BaseModel):
    """The value of a move when both play perfectly after it."""

    move: str
    value: int = Field(ge=-1, le=1, description="for the side to move: 1 wins, 0 draws, -1 loses")
    stones: int | None = Field(description="until the end, this one included, where one side wins")
    score: int | None = Field(
        description="as solvers count: 1 for a win with the last stone of a full board, one more "
        "for each own stone that is left over; negative for a loss; null where lines are counted"
    )


class ExactValues(BaseModel):
    """The truth about every legal move."""

    by: str = Field(description="what found it")
    moves: list[ExactMove]
    best: list[str] = Field(description="a win soon, a loss late; all that are equally good")


class EstimatedMove(BaseModel):
    """What a player estimates of a move."""

    move: str
    value: float | None = Field(description="the higher the better; null where it has none")


class Estimate(BaseModel):
    """What a player estimates of every legal move, in numbers of its own."""

    by: str
    moves: list[EstimatedMove]
    best: list[str]


class Values(BaseModel):
    """What there is to say of a position that goes on."""

    position: PositionDescription
    exact: ExactValues | None = Field(description="null where nothing finds it within seconds")
    estimate: Estimate | None = Field(description="null where no player was named, or it has none")


class Bounds(BaseModel):
    """What is proven of a position or a move: its value lies from low to high."""

    value: int | None = Field(
        ge=-1, le=1, description="1 wins, 0 draws, -1 loses; null where it is not known"
    )
    low: int = Field(ge=-1, le=1)
    high: int = Field(ge=-1, le=1)
    stones: int | None = Field(description="until the end, where one side wins; null if not known")


class SolvedMove(Bounds):
    """What is proven of a move, for the side that plays it."""

    move: str
    score: int | None = Field(description="as solvers count; null where it is not known")


class Solved(Bounds):
    """What is proven of a position that goes on, for the side to move."""

    position: PositionDescription
    score: int | None = Field(description="as solvers count; null where it is not known")
    moves: list[SolvedMove]
    best: list[str] = Field(description="moves that keep the value, where it is known")
    basis: list[str] = Field(description="what found it")
    published: str | None = Field(
        description="the published value of the empty board with its source, where nothing is exact"
    )


class AnalysedMove(Bounds):
    """A move that was played, and what is proven of it, for the side that played it."""

    ply: int = Field(description="counted from 1")
    player: int = Field(ge=1, le=2)
    move: str
    best_moves: list[str] = Field(description="as far as they are known")
    best: Bounds = Field(description="of the position before the move")
    cost: int = Field(
        ge=0, le=2, description="of the value: 2 a win for a loss; 0 none for certain"
    )
    delay: int = Field(description="by how many stones it wins later or loses sooner")
    mark: Literal["??", "?", "?!", ""] = Field(description="as annotators write them")
    by: list[str] = Field(description="what found it")


class Ahead(Bounds):
    """What is proven of the last position, for the side to move."""

    player: int = Field(ge=1, le=2)
    best_moves: list[str]
    moves: dict[str, Bounds]


class Analysed(BaseModel):
    """A game, move by move."""

    game: str
    position: str = Field(description="the moves of the game")
    outcome: Literal["first", "second", "draw"] | None
    moves: list[AnalysedMove]
    mistakes: list[int] = Field(description="the plies of moves that gave value away for certain")
    ahead: Ahead | None = Field(description="null if the game is over")


class ChosenMove(BaseModel):
    """The move that a player chooses."""

    player: str
    move: str
    cell: int = Field(description="where its stone comes to lie")
    position: PositionDescription = Field(description="after the move")
