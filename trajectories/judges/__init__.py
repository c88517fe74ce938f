"""Judges: models that grade episodes by a rubric, with their measured error rates."""
