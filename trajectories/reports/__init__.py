"""Reports, which are statistics over many episodes."""
