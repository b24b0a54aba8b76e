"""The server: pages to play, train, read the papers and hold an arena, and an API for programs."""
