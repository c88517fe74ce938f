"""Wiring, the arena that agents see, the services, and the checks of the gym itself."""

__version__ = "0.1.0"
