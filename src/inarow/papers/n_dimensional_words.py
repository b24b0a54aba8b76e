"""What the n-dimensional paper's page says in words: where the paper slips, how ours differs."""

from __future__ import annotations

from inarow.papers.results import Results


def slips(results: Results) -> tuple[str, ...]:
    """With the right numbers."""
    counts, mixed = results.facts["counts"], results.facts["overwritten"]
    ending, unsure = mixed.values()
    return (
        f"“6038 different states for a 3x3 grid, and 1 414 819 440 989 for a 3x3x3 grid”: Eq. (3) "
        f"gives {counts['formula 3x3']:,} and {counts['formula 3x3x3']:,}. With Python's `round` "
        f"for the half rounded up it gives {counts['formula 3x3, rounded']:,} and "
        f"{counts['formula 3x3x3, rounded']:,}, the printed ones.",
        "“We just set the Q-value at the reward's value because it is directly its optimal value”: "
        "that holds if the agent's own move ends the game. Of "
        f"{ending:,} moves after which a *reply* may end it, {unsure:,} have also replies that do "
        "not, or that end it otherwise: their value is a mean.",
        "“A good agent should not lose a single game, had he played in first or second”: the "
        "rewards say otherwise, see the best that can be.",
        "“Best results at about 1000” against advanced: there the first player mostly no longer "
        "loses, but wins go on rising.",
    )


def differences() -> tuple[str, ...]:
    """From the paper, or beyond what it says."""
    return (
        "The agent plays first and second in turn. The paper trains it for both, and does not say "
        "how.",
        "Shares are exact; the paper plays “many games”.",
        "Of several winning cells, or several to block, advanced takes a random one; the paper "
        "does not say.",
        "Among moves of equal value a random one is taken.",
        "The numbers of episodes are ours: those of the figures are not written out.",
        "“Optimal” is read as never losing to the trainer, the paper's own test of a good agent. "
        "Optimal by its rewards is the column *best*.",
        "Without backward propagation, which the paper calls essential too, nothing was run: "
        "`learn.sarsa` is the modified algorithm only.",
    )
