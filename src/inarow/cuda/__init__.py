"""Training runs of studies on a GPU. The core does not import it: the runner looks it up."""
