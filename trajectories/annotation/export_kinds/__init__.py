"""Kinds of files that exports have of an annotation project, and the reader of labels that choose steps."""
