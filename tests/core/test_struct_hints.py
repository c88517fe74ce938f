from __future__ import annotations

import enum
from typing import Annotated, Any, Literal

import msgspec
import pytest

from core.errors import GymError
from core.structs.bodies import struct_read


class Colour(enum.StrEnum):
    RED = "red"
    BLUE = "blue"


class Inner(msgspec.Struct, forbid_unknown_fields=True):
    result: Annotated[Literal["ok", "refused"], msgspec.Meta(description="How it went.")] | None = None
    colours: dict[str, Colour] = {}


class Outer(msgspec.Struct, forbid_unknown_fields=True):
    steps: list[Inner] = []
    count: int = 0


@pytest.mark.parametrize(
    ("value", "place", "hint"),
    [
        ({"step": []}, "step", "Did you mean steps?"),
        ({"steps": [{"resutl": "ok"}]}, "steps.0.resutl", "Did you mean result?"),
        ({"steps": [{}, {"result": "refuse"}]}, "steps.1.result", "Did you mean refused?"),
        ({"steps": [{"result": "xyz"}]}, "steps.0.result", "Known: ok, refused."),
        ({"steps": [{"colours": {"a": "blu"}}]}, "steps.0.colours", "Did you mean blue?"),
    ],
)
def test_a_refusal_says_what_is_valid(value: Any, place: str, hint: str) -> None:
    with pytest.raises(GymError) as refused:
        struct_read(value, Outer)

    assert refused.value.message.endswith(hint)
    assert refused.value.fields[place][0].endswith(hint)


def test_a_refusal_that_needs_no_hint_has_none() -> None:
    with pytest.raises(GymError) as refused:
        struct_read({"count": "3"}, Outer)

    assert refused.value.fields == {"count": ["This must be a whole number, not a string."]}
