"""Backups of an installation: database, secrets and files, consistent with each other."""
