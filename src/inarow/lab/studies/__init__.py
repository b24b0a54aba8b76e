"""Studies: grids of training runs, how they are run, stored and compared."""
