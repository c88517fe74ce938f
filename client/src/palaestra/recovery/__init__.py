"""Recovery of an episode from its record: the conversation, the page and unsent input."""
