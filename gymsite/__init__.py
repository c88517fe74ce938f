"""Wiring of the apps, the arena that agents see, the services, and scripted solvers that check the gym."""
