"""Code that the shop's families share."""
