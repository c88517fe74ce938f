"""The actions that agents can perform on a page; ``builtin`` has one file for each action type."""
