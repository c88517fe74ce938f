"""The types of action that agents can take, with the descriptions that models are given.

The server or the client can make another action known by registering an ``ActionSpec`` for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal

Condition = Literal["page", "ids", "positions", "outline", "site", "answer", "tools", "sequence", "never"]
"""``page``: the episode has a page. ``ids``: elements are shown with ids. ``positions``: a picture is shown,
and actions can name positions in it. ``outline``: the page's text is shown. ``site``: the page belongs to a
mock site. ``answer``: the answer is submitted through the API, not on a page. ``tools``: the task has tools,
and no page shows them. ``sequence``: several actions are allowed in one turn. ``never``: the action is
carried out but never offered.
"""
WAIT_MS = 500
WAIT_MAX_MS = 2_000
KEYS = "Enter, Escape, Tab, ArrowDown, Control+a and so on"
ID_OPEN = "<id>"
"""Examples leave ids open, because a weak model would use the id that an example names."""


@dataclass(frozen=True)
class FieldSpec:
    """One field of an action.

    ``needs`` is the condition under which it is offered. ``example`` is its value in examples, or None if
    examples leave the field out.
    """

    name: str
    description: str
    _: KW_ONLY
    needs: Condition | None = None
    example: Any = None
    is_required: bool = False


@dataclass(frozen=True)
class ActionSpec:
    """One type of action. Prompts describe actions in the order of their ``rank``.

    An action is offered if all conditions that it ``needs`` are met; ``aim`` says whether it must name an
    element (``target``) or a position (``x``, ``y``). ``fields`` are its keys other than ``type``.
    ``is_look``: the action leaves the page as it is, and no later page shows that it took place.
    """

    id: str
    description: str
    _: KW_ONLY
    rank: int = 99
    needs: Sequence[Condition] = ("page",)
    aim: Literal["none", "optional", "required"] = "none"
    fields: Sequence[FieldSpec] = ()
    is_look: bool = False


def _target(description: str = "Id of the element.", *, example: str | None = ID_OPEN) -> FieldSpec:
    return FieldSpec("target", description, needs="ids", example=example)


def _x(
    description: str = "Pixels from the left edge of the picture.", *, example: int | None = 640
) -> FieldSpec:
    return FieldSpec("x", description, needs="positions", example=example)


def _y(
    description: str = "Pixels from the top edge of the picture.", *, example: int | None = 360
) -> FieldSpec:
    return FieldSpec("y", description, needs="positions", example=example)


_AIM = (_target(), _x(), _y())
_FILLED = [
    {"target": ID_OPEN, "text": "..."},
    {"target": ID_OPEN, "value": "..."},
    {"target": ID_OPEN, "checked": True},
]
_ACTIONS = (
    ActionSpec(
        "answer",
        "Submit the final answer; only the first submission counts.",
        rank=1,
        needs=("answer",),
        fields=(
            FieldSpec(
                "text",
                "The answer; a list of strings if it has several values.",
                example="...",
                is_required=True,
            ),
        ),
    ),
    ActionSpec("back", "Go back to the previous page."),
    ActionSpec(
        "call_tool",
        "Call a tool of the task; the next turn shows what it answers.",
        rank=2,
        needs=("tools",),
        fields=(
            FieldSpec("tool", "Its name.", example="...", is_required=True),
            FieldSpec(
                "arguments", "Its arguments, by their names.", example={"...": "..."}, is_required=True
            ),
        ),
    ),
    ActionSpec(
        "click",
        "Click an element.",
        rank=2,
        aim="required",
        fields=(
            _target(),
            FieldSpec("button", "Left, right or middle."),
            FieldSpec("double", "Whether to click twice."),
            _x(),
            _y(),
        ),
    ),
    ActionSpec(
        "drag",
        "Press the mouse on one element, move it to another and release it there.",
        aim="required",
        fields=(
            _target("Id of the element to begin on."),
            FieldSpec("to_target", "Id of the element to end on.", needs="ids", example=ID_OPEN),
            _x("Pixels from the left edge of the picture, where to begin."),
            _y("Pixels from the top edge of the picture, where to begin."),
            FieldSpec("to_x", "Pixels from the left edge, where to end.", needs="positions", example=820),
            FieldSpec("to_y", "Pixels from the top edge, where to end.", needs="positions", example=360),
        ),
    ),
    ActionSpec(
        "fill",
        "Fill several fields at once, each instead of what it holds.",
        rank=5,
        needs=("page", "ids"),
        fields=(
            FieldSpec(
                "fields",
                'Each field with the "text" to type, the "value" of the option to choose, or whether it is '
                '"checked".',
                example=_FILLED,
                is_required=True,
            ),
        ),
    ),
    ActionSpec(
        "find",
        "Find a text on the whole page: the lines that contain it, with their ids and sections.",
        needs=("page", "outline"),
        fields=(FieldSpec("text", "The text, in upper or lower case.", example="...", is_required=True),),
        is_look=True,
    ),
    ActionSpec(
        "give_up",
        "End the task without an answer, which counts as incorrect.",
        needs=(),
        fields=(FieldSpec("reason", "Why.", example="..."),),
    ),
    ActionSpec(
        "goto",
        "Open an address of this site.",
        needs=("page", "site"),
        fields=(FieldSpec("url", "The address.", example="https://gym/...", is_required=True),),
    ),
    ActionSpec(
        "hover", "Move the mouse over an element without clicking.", aim="required", fields=_AIM, is_look=True
    ),
    ActionSpec("noop", "Do nothing.", needs=("never",), is_look=True),
    ActionSpec(
        "note",
        "Keep a text in mind: later turns show it again, whatever else they leave out.",
        needs=(),
        fields=(FieldSpec("text", "The text.", example="...", is_required=True),),
        is_look=True,
    ),
    ActionSpec(
        "press",
        f"Press a key: {KEYS}.",
        rank=6,
        fields=(
            FieldSpec(
                "key",
                "The key, such as Enter, Escape, Tab, ArrowDown, Control+a.",
                example="Enter",
                is_required=True,
            ),
            _target("Id of the element to press it on; without one, where the focus is.", example=None),
        ),
    ),
    ActionSpec(
        "read",
        "Read one section of the page whole, by its heading, its name or an element's id.",
        needs=("page", "outline"),
        fields=(
            FieldSpec("section", 'What it is called; "page" is all of it.', example="...", is_required=True),
            FieldSpec("part", "Which part of a long section."),
        ),
        is_look=True,
    ),
    ActionSpec(
        "scroll",
        'Scroll the page, or the part of it that is named, by pixels; a negative "dy" is up.',
        rank=7,
        aim="optional",
        fields=(
            FieldSpec("dx", "Pixels to the right; negative is left."),
            FieldSpec("dy", "Pixels down; negative is up.", example=600),
            _target("Id of an element in the part to scroll.", example=None),
            _x("Pixels from the left edge, in the part to scroll.", example=None),
            _y("Pixels from the top edge, in the part to scroll.", example=None),
        ),
        is_look=True,
    ),
    ActionSpec(
        "select",
        "Choose an option of a drop-down list, written as the list shows it.",
        rank=4,
        aim="required",
        fields=(
            _target("Id of the list."),
            FieldSpec("value", "The option, as the list shows it.", example="...", is_required=True),
            _x(),
            _y(),
        ),
    ),
    ActionSpec(
        "sequence",
        "Several actions in one turn; it ends at the first that fails or leads to another page.",
        needs=("page", "sequence"),
        fields=(
            FieldSpec(
                "actions",
                "The actions, in order.",
                example=[{"type": "click", "target": ID_OPEN}, {"type": "press", "key": "Enter"}],
                is_required=True,
            ),
        ),
    ),
    ActionSpec(
        "type",
        'Type text into a field; "clear" empties it first.',
        rank=3,
        aim="optional",
        fields=(
            _target("Id of the field; without one, the text goes where the focus is."),
            FieldSpec("text", "The text.", example="...", is_required=True),
            FieldSpec("clear", "Whether to empty the field first.", example=True),
            _x(),
            _y(),
        ),
    ),
    ActionSpec(
        "wait",
        "Wait for a moment.",
        fields=(FieldSpec("ms", f"Milliseconds, at most {WAIT_MAX_MS}.", example=WAIT_MS),),
        is_look=True,
    ),
)
ACTION_SPECS: dict[str, ActionSpec] = {spec.id: spec for spec in _ACTIONS}
LOOKS = frozenset(spec.id for spec in _ACTIONS if spec.is_look)


def action_add(spec: ActionSpec) -> None:
    """Make an action known to server and client. Raises ``ValueError`` if another action has its id."""
    if ACTION_SPECS.setdefault(spec.id, spec) != spec:
        raise ValueError(f"Two actions have the id {spec.id!r}.")
