"""Statistics of judged answers with their uncertainty: pure functions over arrays.

Heavy to import: for workers alone.
"""
