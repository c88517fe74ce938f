"""The command palette, which finds things by a number or a few words and opens from every page."""
