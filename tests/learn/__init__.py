"""Tests of the learn room: learners on game graphs and on boards."""
