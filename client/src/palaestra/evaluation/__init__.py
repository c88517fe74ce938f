"""Evaluations: an analysis plan, the runs that it asks for, and the report on them."""
