"""Kinds of files that an annotation project can be exported to, and the label reader that selects steps."""
