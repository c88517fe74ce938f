"""Periodic work for the whole installation, done by one process at a time."""
