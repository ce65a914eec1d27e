"""Runs: the one model of work in progress that every workflow and every front end shares."""
