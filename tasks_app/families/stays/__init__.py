"""Families of the booking site: reading, comparing, booking and changing stays."""
