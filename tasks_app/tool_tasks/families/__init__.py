"""Families of tool tasks, one per file."""
