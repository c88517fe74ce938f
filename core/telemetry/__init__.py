"""Logs, metrics and request ids of processes."""
