"""Facts of episodes that several apps share."""
