"""Rules of each dataset of generated puzzles: equal readings, checks, the package's scorer.

Pure: no tables, no network, no clock. Answers are parsed, never evaluated.
"""
