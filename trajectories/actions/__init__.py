"""The actions that agents can perform on a page: one file per action type in ``builtin``."""
