"""Pages that agents see and act on: in a browser, or read without one."""
