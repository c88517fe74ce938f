"""Deletes what nobody needs any longer: runs, recordings, screenshots, and files that nothing names."""
