"""Classes of losses by rule, from what was recorded. Heuristics, not labels."""
