"""Accuracy of the rules that classify losses; ``python -m validation.losses`` prints it."""
