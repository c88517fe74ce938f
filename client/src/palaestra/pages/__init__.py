"""Pages that agents see and act on, in a browser or as plain HTML."""
