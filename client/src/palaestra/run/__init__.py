"""Runs of one model on one benchmark: plan, progress, results and costs."""
