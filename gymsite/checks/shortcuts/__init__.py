"""Shortcuts: answers that a mock site's pages give away without being read (``check_shortcuts``)."""
