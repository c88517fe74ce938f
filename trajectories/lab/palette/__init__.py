"""The command palette: what is found by a number or a few words, from every page."""
