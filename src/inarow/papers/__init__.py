"""One file a paper: what it ran, what it published, how ours compares."""
