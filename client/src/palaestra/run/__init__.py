"""Runs of one model on one benchmark: their plans, progress, results and costs."""
