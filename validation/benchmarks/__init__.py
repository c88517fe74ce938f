"""Checks of benchmarks: verdicts on golds and wrong answers, and questions that may need rewording."""
