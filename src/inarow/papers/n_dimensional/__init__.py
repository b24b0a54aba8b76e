"""The n-dimensional paper: modified SARSA in two dimensions, a policy gradient in any number."""
