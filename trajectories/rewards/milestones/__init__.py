"""Milestones of questions, one per file; mock sites' milestones are part of their task families."""
