"""Small games written out: building the graph, exact values, exact odds, best response."""
