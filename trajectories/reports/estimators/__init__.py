"""Statistics of judged answers with their uncertainty, as pure functions over arrays.

The package is slow to import, so only workers should import it.
"""
