"""Tests of the agents that come with the package."""
