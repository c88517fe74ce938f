"""Milestones of questions, one file each; those of mock sites belong to task families."""
