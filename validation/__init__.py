"""Checks of the product that developers run; no installation needs them."""
