"""Tests of the browser part."""
