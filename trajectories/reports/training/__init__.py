"""Reports on the effects of training runs on their policies, version by version."""
