from __future__ import annotations

import pytest

from core.intervals import wilson


@pytest.mark.parametrize(
    ("share", "n", "low", "high"),
    [
        (0.5, 10, 0.2366, 0.7634),
        (0.0, 10, 0.0, 0.2775),
        (1.0, 10, 0.7225, 1.0),
        (0.9, 100, 0.8256, 0.9448),
        (0.9, 10, 0.5958, 0.9821),
        (0.0, 0, 0.0, 1.0),
    ],
)
def test_wilson_agrees_with_published_values(share: float, n: int, low: float, high: float) -> None:
    assert wilson(share=share, n=n) == pytest.approx((low, high), abs=5e-5)
