"""How often a mock site's pages give an answer to somebody who does not read them (``check_shortcuts``)."""
