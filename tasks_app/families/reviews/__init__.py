"""Families of ``reviews``: counting and comparing what reviewers mention."""
