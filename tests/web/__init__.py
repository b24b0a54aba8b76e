"""Tests of what a page runs."""
