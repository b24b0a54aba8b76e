"""Learners: a folder for each family, and at the top what all of them share."""
