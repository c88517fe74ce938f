"""Families of tool tasks, one file each."""
