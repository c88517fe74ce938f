"""The tools, one per file."""
