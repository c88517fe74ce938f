"""Families of the booking site."""
