"""Wiring, the arena that agents see, and the commands that start everything."""

__version__ = "0.1.0"
