"""Tests of what `inarow.plain` has beyond what tests of the learners compare with it."""
