"""What is filled in again on a page that takes a lost one's place."""

from __future__ import annotations

from typing import Any

import pytest

from palaestra.recovery.lost_pages import find_draft, only_fills

URL = "https://gym/page"
OUTLINE = "[e1] textbox\n[e2] radio\n[e3] button\n[e4] combobox"
TYPED = {"type": "type", "target": "e1", "text": "42"}
CHOSEN = {"type": "click", "target": "e2"}
LISTED = {"type": "select", "target": "e4", "value": "Bern"}
PRESSED = {"type": "click", "target": "e3"}
BOTH = {"type": "sequence", "actions": [TYPED, PRESSED]}
FIELDS = {"type": "sequence", "actions": [TYPED, {"type": "wait"}, LISTED]}


def step(action: dict[str, Any] | None, result: str = "ok") -> dict[str, Any]:
    return {"action": action, "action_result": result, "observation": {"kind": "axtree", "text": OUTLINE}}


def types_of(*steps: dict[str, Any]) -> list[str]:
    return [filling.type for filling in find_draft(steps, url=URL).fillings]


def test_fields_are_filled_in_again_in_their_order() -> None:
    looked = step({"type": "scroll", "dy": 600})
    assert types_of(step(TYPED), looked, step(CHOSEN), step(LISTED)) == ["type", "click", "select"]
    assert types_of(step(FIELDS)) == ["type", "select"]


@pytest.mark.parametrize(
    "leading",
    [
        step(PRESSED),
        step(BOTH),
        step({**TYPED, "text": "42\n"}),
        step(TYPED, "timeout"),
        step({"type": "fly"}),
    ],
)
def test_what_may_have_led_to_another_page_is_not_done_again(leading: dict[str, Any]) -> None:
    assert not only_fills(leading)
    assert types_of(step(CHOSEN), leading, step(LISTED)) == ["select"]


@pytest.mark.parametrize(
    "without_effect", [step(PRESSED, "refused"), step(TYPED, "no_target"), step(None, "invalid")]
)
def test_what_was_not_done_is_left_out(without_effect: dict[str, Any]) -> None:
    assert types_of(step(TYPED), without_effect) == ["type"]
