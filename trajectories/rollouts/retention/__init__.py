"""Deletion of what is no longer needed: runs, recordings, screenshots, and files that nothing names."""
