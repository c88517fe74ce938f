"""The tables of a report, with a file for each table or for a few related ones."""
