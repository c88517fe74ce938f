"""Worlds of the mock sites and the states folded over them: pure, and free of any task's truth."""
