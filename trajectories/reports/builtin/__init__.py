"""The tables of a report, a file for each or for a few that belong together."""
