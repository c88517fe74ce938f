"""Postgres: connections, statements and columns."""
