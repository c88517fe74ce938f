"""What a right answer is for each dataset of generated puzzles: equal readings, checks, the package's scorer.

Pure: no tables, no network, no clock. What an answer says is parsed, never evaluated.
"""
