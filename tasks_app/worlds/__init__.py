"""Worlds of the mock sites and the states folded over them. They are pure and contain no task's truth."""
