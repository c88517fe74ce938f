"""Judges: models that grade episodes by a rubric, and how often each of them is wrong."""
