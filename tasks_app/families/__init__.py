"""Task families of the mock sites: the truth, which the arena never imports."""
