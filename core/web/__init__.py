"""Addresses, headers and files of the web servers."""
