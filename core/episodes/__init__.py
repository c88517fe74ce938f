"""Code about episodes that several apps share."""
