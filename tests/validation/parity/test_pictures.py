from __future__ import annotations

from typing import Any

import pytest

from validation.parity.pictures import pictures_problem

PAYLOAD = {
    "pictures": [
        {"name": f"figure-{k}", "sha256": "0" * 64, "content_type": "image/png", "width": 40, "height": 30}
        for k in (1, 2)
    ]
}


def picture(number: int, **fields: Any) -> dict[str, Any]:
    return {"name": f"Figure {number}", "file": [40, 30], "box": [40, 30], **fields}


def test_pictures_at_their_own_size_pass() -> None:
    assert pictures_problem(PAYLOAD, [picture(2), picture(1), picture(1)]) is None
    assert pictures_problem({}, []) is None


@pytest.mark.parametrize(
    ("shown", "problem"),
    [
        ([picture(1)], "the page does not show Figure 2"),
        ([picture(1, file=[0, 0])], "Figure 1 is 0 by 0 pixels where the task says 40 by 30"),
        ([picture(1, box=[20.5, 30])], "Figure 1 is drawn 20.5 by 30 pixels where the task says 40 by 30"),
        ([picture(3)], "the page has a picture 'Figure 3' that the task does not"),
    ],
)
def test_a_wrong_picture_is_reported(shown: list[dict[str, Any]], problem: str) -> None:
    assert pictures_problem(PAYLOAD, shown) == problem
