"""Reward components, one per file."""
