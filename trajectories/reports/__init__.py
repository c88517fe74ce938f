"""What many episodes say together."""
