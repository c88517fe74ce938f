"""Each file is one action type; all modules here are imported at the start and register themselves."""
