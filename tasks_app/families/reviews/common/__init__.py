"""The common part of the shop's families."""
