"""Programs that run inside the sandboxes.

They are sent in as source text, so the only module of the project that they can import is ``values``.
"""
