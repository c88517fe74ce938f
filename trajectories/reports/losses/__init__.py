"""Where an episode was lost: classes by rule, from what was recorded. Heuristics, not labels."""
