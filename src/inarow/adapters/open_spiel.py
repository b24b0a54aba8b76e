"""OpenSpiel: every game as a Python game, our players as bots, and bots as our players.

    import pyspiel
    from inarow.adapters.open_spiel import BotPlayer, PlayerBot

    game = pyspiel.load_game("inarow(game=connect4:6x7)")
    bot = PlayerBot("minimax:4", game, player_id=0, seed=1)

OpenSpiel reads commas and equals signs itself: where a name of a game has one, write a semicolon
and a colon, as in `inarow(game=board:2x3x4;k:3;gravity)`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np
import pyspiel
from open_spiel.python.observation import IIGObserverForPublicInfoGame

from inarow.adapters.views import planes
from inarow.engine.streams import FIRST, SECOND, make_stream
from inarow.game import Game, InputError, Position
from inarow.game import game as game_of
from inarow.game.position import move_text
from inarow.lab.players.names import BoundPlayer, player
from inarow.lab.players.protocols import NamedPlayer, ask, bind_player, name_of

GAME_TYPE = pyspiel.GameType(
    short_name="inarow",
    long_name="K in a row on any board",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
    information=pyspiel.GameType.Information.PERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=2,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification={"game": "tictactoe"},
)


class InARowGame(pyspiel.Game):  # type: ignore[misc]
    """A game of ours, by its name."""

    def __init__(self, params: Mapping[str, object] | None = None) -> None:
        name = str((params or {}).get("game", "tictactoe"))
        self.game = game_of(re.sub(r";(k|wrap):", r";\1=", name).replace(";", ","))
        info = pyspiel.GameInfo(
            num_distinct_actions=self.game.columns,
            max_chance_outcomes=0,
            num_players=2,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=self.game.cells,
        )
        super().__init__(GAME_TYPE, info, dict(params or {}))

    def new_initial_state(self, state: object = None) -> InARowState:
        """The empty board."""
        if state is not None:
            raise InputError("a state is made by its moves: new_initial_state takes nothing")
        return InARowState(self)

    def make_py_observer(
        self,
        iig_obs_type: pyspiel.IIGObservationType | None = None,
        params: Mapping[str, object] | None = None,
    ) -> PlanesObserver | IIGObserverForPublicInfoGame:
        """What a player sees: its stones and the other's."""
        public = iig_obs_type is None or (
            iig_obs_type.public_info and not iig_obs_type.perfect_recall
        )
        if public:
            return PlanesObserver(self.game, params)
        return IIGObserverForPublicInfoGame(iig_obs_type, params)


class InARowState(pyspiel.State):  # type: ignore[misc]
    """A position of it."""

    def __init__(self, game: InARowGame) -> None:
        super().__init__(game)
        self.position = Position(game.game)

    def current_player(self) -> int:
        """0 the first player, 1 the second."""
        over = self.position.outcome is not None
        return pyspiel.PlayerId.TERMINAL if over else self.position.to_move - 1

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.position.outcome is not None

    def returns(self) -> list[float]:
        """The game's result for each player; 0 while it goes on."""
        outcome = self.position.outcome
        winner = None if outcome is None else outcome.winner
        return {None: [0.0, 0.0], 1: [1.0, -1.0], 2: [-1.0, 1.0]}[winner]

    def _legal_actions(self, player: int) -> list[int]:  # noqa: ARG002
        return self.position.legal_moves

    def _apply_action(self, action: int) -> None:
        self.position.push(action)

    def _action_to_string(self, player: int, action: int) -> str:
        return f"{'XO'[player]} {move_text(self.position.game, action)}"

    def __str__(self) -> str:
        return str(self.position)


class PlanesObserver:
    """The stones of a player and those of the other, as a tensor [2, *game.shape]."""

    def __init__(self, game: Game, params: Mapping[str, object] | None) -> None:
        if params:
            raise InputError(f"an observation takes no parameters, not {params}")
        self.tensor = np.zeros(2 * game.cells, np.float32)
        self.dict = {"observation": self.tensor.reshape(2, *game.shape)}

    def set_from(self, state: InARowState, player: int) -> None:
        """Writes what a player sees."""
        self.dict["observation"][:] = planes(state.position, player + 1)

    def string_from(self, state: InARowState, player: int) -> str:  # noqa: ARG002
        """The same as text."""
        return str(state.position)


def position_of(state: pyspiel.State, game: Game) -> Position:
    """A state as a position: of our games, or of one of OpenSpiel's whose moves are numbered alike.

    That is so of `tic_tac_toe` and of `connect_four` on any board.
    """
    if isinstance(state, InARowState):
        return state.position
    position = Position(game)
    for action in state.history():
        position.push(action)
    return position


class PlayerBot(pyspiel.Bot):  # type: ignore[misc]
    """One of our players as a bot of OpenSpiel's."""

    def __init__(
        self,
        some_player: NamedPlayer,
        game: str | Game | pyspiel.Game,
        player_id: int,
        seed: int = 0,
    ) -> None:
        """`game` is one of ours by name, or a game of OpenSpiel's that `position_of` reads."""
        super().__init__()
        self.game = _our_game(game)
        self._id = player_id
        stream = make_stream(seed, (FIRST, SECOND)[player_id])
        self._bound = bind_player(player(some_player), self.game, stream)
        self.restart()

    def player_id(self) -> int:
        """Which side it plays."""
        return self._id

    def restart(self) -> None:
        """Before each game."""
        if isinstance(self._bound, BoundPlayer):
            self._bound.begin()

    def restart_at(self, state: pyspiel.State) -> None:  # noqa: ARG002
        """Before a game that begins elsewhere."""
        self.restart()

    def step(self, state: pyspiel.State) -> int:
        """The move it chooses."""
        return ask(self._bound, position_of(state, self.game))

    def inform_action(self, state: pyspiel.State, player_id: int, action: int) -> None:
        """It looks at the position alone."""


class BotPlayer:
    """A bot of OpenSpiel's as one of our players."""

    def __init__(self, bot: pyspiel.Bot, game: pyspiel.Game, name: str | None = None) -> None:
        """`game` is OpenSpiel's game that the bot was made for."""
        self.bot, self._game, self.game = bot, game, _our_game(game)
        self.name = name or type(bot).__name__

    def move(self, position: Position) -> int:
        """The move that the bot chooses."""
        state = self._game.new_initial_state()
        for move in position.moves:
            state.apply_action(move)
        return int(self.bot.step(state))

    def __repr__(self) -> str:
        return f"<player {name_of(self)}>"


def _our_game(game: str | Game | pyspiel.Game) -> Game:
    """Our game by its name, or the one that a game of OpenSpiel's is."""
    if isinstance(game, InARowGame):
        return game.game
    if isinstance(game, str | Game):
        return game_of(game)
    kind, options = game.get_type().short_name, game.get_parameters()
    if kind == "tic_tac_toe":
        return game_of("tictactoe")
    if kind == "connect_four" and options.get("x_in_row", 4) == 4:
        return game_of(f"connect4:{options.get('rows', 6)}x{options.get('columns', 7)}")
    raise InputError(f"{game} is none of our games: load inarow(game=NAME) instead")


pyspiel.register_game(GAME_TYPE, InARowGame)
