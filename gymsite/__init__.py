"""Wiring, the arena that agents see, the services, and the checks of the gym itself."""
