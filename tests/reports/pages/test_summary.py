"""The ladder of a benchmark in one sentence, and charts that it stands beside."""

from __future__ import annotations

from typing import Any

import pytest
from django.template.loader import render_to_string
from django.utils.html import strip_tags

from trajectories.reports.catalogue import chart_draw
from trajectories.reports.pages.summary import sentences_of


def rung(name: str, a: str, b: str, gap: float | None, *, note: str = "") -> dict[str, Any]:
    ends = {"low": None, "high": None} if gap is None else {"low": gap - 3, "high": gap + 3}
    contrast = f"{a} − {b}"
    return {
        "benchmark": "arc",
        "rung": name,
        "contrast": contrast,
        "a": a,
        "b": b,
        "gap": gap,
        "note": note,
        **ends,
    }


ROWS = [
    rung("agent format", "text_zero_shot", "text_agent", 6.0),
    rung("pixels", "text_agent", "gym:som-v1", None, note="the set-ups differ"),
    rung("total", "text_zero_shot", "gym:som-v1", 21.0),
]


def test_a_rung_without_a_number_is_named_with_why() -> None:
    (sentence,) = sentences_of({"tables": [{"id": "rungs", "title": "Rungs", "rows": ROWS}]})

    text = strip_tags(render_to_string("lab/reports/_sentence.html", {"sentence": sentence}))

    words = " ".join(text.replace("&nbsp;", " ").split())
    assert words == (
        "arc: of 21.0 points (18.0 to 24.0) between Text, zero-shot and Page, marked screenshot: "
        "agent format 6.0 (3.0 to 9.0); pixels cannot be stated: the set-ups differ."
    )


def test_an_interval_that_holds_zero_shows_no_gap() -> None:
    (sentence,) = sentences_of(
        {"tables": [{"id": "rungs", "rows": [rung("reading", "text_agent", "gym", 1.0)]}]}
    )

    assert sentence.reason == "the interval of the total includes 0, so no gap is shown"


@pytest.mark.parametrize(
    ("accuracies", "bound"),
    [
        ((0.0, 0.0), "no answer was right in any arm, so the page had nothing to lose"),
        ((100.0, 100.0), "every answer was right in every arm, so no gap can show"),
        ((0.0, 10.0), ""),
        ((None, None), ""),
    ],
)
def test_a_benchmark_at_one_end_in_all_arms_shows_no_gap(
    accuracies: tuple[float | None, ...], bound: str
) -> None:
    rows = [{"benchmark": "arc", "accuracy": share} for share in accuracies]
    others = [{"benchmark": "math", "accuracy": 40.0}]
    tables = [{"id": "rungs", "rows": ROWS}, {"id": "accuracy", "rows": rows + others}]

    (sentence,) = sentences_of({"tables": tables})

    assert sentence.bound == bound
    text = render_to_string("lab/reports/_sentence.html", {"sentence": sentence})
    assert ("21.0" in text) is (bound == "")


def test_long_labels_have_room_in_a_chart() -> None:
    drawing = chart_draw({"id": "gaps", "title": "Gaps", "rows": [ROWS[0], {**ROWS[2], "gap": 21.0}]})

    assert drawing is not None
    lefts = [
        float(shape.get("x", 0)) - 6 * len(shape.text or "")
        for shape, _ in drawing.shapes
        if "plot-end" in shape.get("class", "")
    ]
    assert min(lefts) >= 0
