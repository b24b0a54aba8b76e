"""`python -m inarow` is the command line."""

from inarow.ui.main import main

main()
