"""Accuracy of the rules that classify lost episodes; ``python -m validation.losses`` prints it."""
