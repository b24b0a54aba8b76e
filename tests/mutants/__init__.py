"""Mutants of the promises of the package, and which of them the tests notice (`make mutants`)."""
