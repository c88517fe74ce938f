"""The world of the booking site."""
