"""The agents that come with the package: how they are made, proved, measured and described."""
