"""World of the booking site."""
