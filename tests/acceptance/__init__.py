"""The whole used as a user uses it, from a wheel and an empty cache (`make acceptance`)."""
