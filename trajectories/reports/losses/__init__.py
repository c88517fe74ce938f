"""The classification of lost episodes by rules over what was recorded; these are heuristics, not labels."""
