"""Tests of the papers room: what was run, what was published, and the pages."""
