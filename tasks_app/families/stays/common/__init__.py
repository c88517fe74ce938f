"""The common part of the booking site's families."""
