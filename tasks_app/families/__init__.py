"""Task families of the mock sites. They contain the truth, so the arena never imports them."""
