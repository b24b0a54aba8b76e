"""Tests of the ui room: the command line."""
