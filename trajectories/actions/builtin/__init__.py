"""Built-in action types, one per file; all modules here are imported at start-up and register themselves."""
