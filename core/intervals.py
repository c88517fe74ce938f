"""Confidence intervals of shares."""

from __future__ import annotations

import math

Z_95 = 1.959964


def wilson(*, share: float, n: float) -> tuple[float, float]:
    """The Wilson score interval (Wilson 1927) of a share seen in ``n`` samples, at 95%; (0, 1) for none."""
    if not n:
        return 0.0, 1.0
    scale = 1 + Z_95**2 / n
    middle = (share + Z_95**2 / (2 * n)) / scale
    half = Z_95 / scale * math.sqrt(share * (1 - share) / n + Z_95**2 / (4 * n * n))
    return max(0.0, middle - half), min(1.0, middle + half)
