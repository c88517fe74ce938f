"""Pages of questions without an episode, for code that opens them in its own browser."""
