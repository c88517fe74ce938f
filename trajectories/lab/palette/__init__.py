"""The command palette: search by a number or a few words, from every page."""
