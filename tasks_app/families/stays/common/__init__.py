"""Code that the booking site's families share."""
