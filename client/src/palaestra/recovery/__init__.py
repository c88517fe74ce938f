"""Recovery of an episode from its record: conversation, page and unsent input."""
