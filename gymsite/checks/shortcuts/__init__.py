"""How often a mock site's pages give an answer away without being read (``check_shortcuts``)."""
