"""Rules for each dataset of generated puzzles: equal readings, checks by playing, or the package's scorer.

The rules are pure functions without database, network or clock. Answers are parsed, never evaluated.
"""
