"""Evaluations, which consist of an analysis plan, its runs, and the report on them."""
