"""Shared code at the bottom of the import layers; it imports no app."""

__version__ = "0.1.0"
