"""Pages of questions without an episode, for whatever opens them in a browser of its own."""
