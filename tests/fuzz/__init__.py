"""Files, databases and questions as anybody may have made them: `python -m tests.fuzz --help`."""
