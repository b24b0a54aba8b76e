"""Tests of the adapters, each skipped where its package is not installed."""
