"""Checks of the product that no installation runs."""
