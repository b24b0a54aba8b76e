"""The same games for Gymnasium, PettingZoo, OpenSpiel and Kaggle, each an optional extra.

Nothing here is imported unless somebody asks for it by name.
"""
