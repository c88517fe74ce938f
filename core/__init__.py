"""The floor that knows no app."""

__version__ = "0.1.0"
