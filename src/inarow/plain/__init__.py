"""Every algorithm of the five documents in plain Python, as short as its printed pseudo-code.

Written to be read beside the documents: positions are `inarow.game` objects, networks are NumPy
arrays, and nothing is compiled. The learners in `inarow.learn` are the same algorithms, fast. The
tests give both the same random numbers, and compare weights and moves.

    >>> from inarow import game
    >>> from inarow.engine.streams import make_stream
    >>> from inarow.plain.max_min import QPlayer
    >>> from inarow.plain.random_stream import RandomStream
    >>> player = QPlayer(game("tictactoe"), RandomStream(make_stream(1)))
    >>> player.train(1000)
"""
