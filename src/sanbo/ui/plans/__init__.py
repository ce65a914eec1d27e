"""Plans in the browser: which there are, what is wrong with one, how a run of one goes."""
