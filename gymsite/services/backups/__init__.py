"""Backups of an installation, in which database, secrets and files are consistent with each other."""
