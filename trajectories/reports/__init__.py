"""Statistics over many episodes."""
