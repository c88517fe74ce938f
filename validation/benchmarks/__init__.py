"""Verdicts on every gold of a benchmark and on wrong answers (``check_benchmarks``)."""
