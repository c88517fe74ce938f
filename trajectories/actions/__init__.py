"""What agents can do to a page: one file per action type in ``builtin``."""
