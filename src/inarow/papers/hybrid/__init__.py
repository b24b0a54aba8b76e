"""The hybrid paper: a tabular TD agent and six trainers, in two games."""
