"""Tests of the graph room: small games written out."""
