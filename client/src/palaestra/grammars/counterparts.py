"""Tables that translate between the actions of other grammars and ours, in both directions.

A row without a ``type`` has no counterpart here. It is refused with a message that says what to write
``instead``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from palaestra.actions import ActionInvalid
from palaestra.grammars.shapes import (
    BUTTON_OPENAI,
    KEY_XDOTOOL,
    KEYS,
    OPTION,
    PATH,
    SECONDS,
    WHEEL,
    Fields,
    Shape,
    checked,
    key,
    pair,
    same,
)
from palaestra.protocol.offers import Conditions, actions_offered, fields_offered

XY = (same("x"), same("y"))
AT = pair("coordinate", "x", "y")
BUTTON = same("button")
# The defaults of our actions' optional fields.
DEFAULTS = {"scroll": {"dx": 0, "dy": 0}}
AT_ONCE = "Press and release are one action here"
ONE_TAB = "There is one tab."


@dataclass(frozen=True, kw_only=True)
class Counterpart:
    """An action of another grammar ("theirs") and its translation to our action ``type``.

    ``shapes`` translate its fields, in the order of its positional arguments. ``fixed`` are our fields whose
    values follow from its name, ``optional`` are their fields that may be left out, and ``ignored`` are their
    fields that make no difference here.
    """

    name: str
    type: str = ""
    shapes: tuple[Shape, ...] = ()
    fixed: Mapping[str, Any] = field(default_factory=dict)
    optional: frozenset[str] = frozenset()
    ignored: frozenset[str] = frozenset()
    instead: str = ""

    @property
    def fields(self) -> list[str]:
        """The fields of the other grammar's action, in order."""
        return [name for shape in self.shapes for name in shape.theirs]

    def read(self, fields: Fields) -> dict[str, Any]:
        """Translate the other grammar's fields to our action.

        Raises ``ActionInvalid`` with a sentence for the model.
        """
        if not self.type:
            raise ActionInvalid(f'"{self.name}" is not available. {self.instead}')
        given = {name: value for name, value in fields.items() if value is not None}
        for name, value in given.items():
            if value and name not in self.fields and name not in self.ignored:
                takes = ", ".join(self.fields) or "no fields"
                raise ActionInvalid(f'"{self.name}" has no "{name}": it takes {takes}.')
        declared: dict[str, Any] = {"type": self.type}
        for shape in self.shapes:
            if any(name in given for name in shape.theirs):
                declared.update(shape.read(given))
            elif not self.optional.issuperset(shape.theirs):
                raise ActionInvalid(f'"{self.name}" needs "{shape.theirs[0]}".')
        return declared | dict(self.fixed)

    def write(self, declared: Fields) -> dict[str, Any] | None:
        """Translate our action to the other grammar's fields; None if they cannot express it."""
        if not self.type or declared.get("type") != self.type:
            return None
        rest = {name: value for name, value in declared.items() if name != "type" and value is not None}
        rest = {**DEFAULTS.get(self.type, {}), **rest}
        for name, value in self.fixed.items():
            if rest.pop(name, None) != value:
                return None
        written: dict[str, Any] = {}
        for shape in self.shapes:
            if all(name in rest for name in shape.ours):
                try:
                    written.update(shape.write({name: rest.pop(name) for name in shape.ours}))
                except ValueError:
                    return None
            elif not self.optional.issuperset(shape.theirs):
                return None
        return written if not any(rest.values()) else None

    def is_offered(self, conditions: Conditions) -> bool:
        """Return whether an episode offers our action, with all fields that this row needs."""
        if self.type not in actions_offered(conditions):
            return False
        offered = {spec.name for spec in fields_offered(self.type, conditions)}
        return all(
            offered.issuperset(shape.ours)
            for shape in self.shapes
            if not self.optional.issuperset(shape.theirs)
        )


def _row(
    name: str, type: str, *shapes: Shape, optional: str = "", ignored: str = "", **fixed: Any
) -> Counterpart:
    return Counterpart(
        name=name,
        type=type,
        shapes=shapes,
        fixed=fixed,
        optional=frozenset(optional.split()),
        ignored=frozenset(ignored.split()),
    )


def _none(name: str, instead: str) -> Counterpart:
    return Counterpart(name=name, instead=instead)


BID = same("bid", "target")
BROWSERGYM = (
    _row("click", "click", BID, BUTTON, optional="button"),
    _row("dblclick", "click", BID, BUTTON, optional="button", double=True),
    _row("hover", "hover", BID),
    _row("fill", "type", BID, same("value", "text"), ignored="enable_autocomplete_menu", clear=True),
    _row("clear", "type", BID, text="", clear=True),
    _row("select_option", "select", BID, OPTION),
    _row(
        "mouse_select_option", "select", *XY, OPTION
    ),  # missing from BrowserGym, whose selections need an id
    _row("check", "fill", checked("bid", is_checked=True)),
    _row("uncheck", "fill", checked("bid", is_checked=False)),
    _row("press", "press", BID, key("key_comb")),
    _row("drag_and_drop", "drag", same("from_bid", "target"), same("to_bid", "to_target")),
    _row("scroll", "scroll", same("delta_x", "dx"), same("delta_y", "dy")),
    _row("scroll_at", "scroll", *XY, same("dx"), same("dy")),
    _row("mouse_click", "click", *XY, BUTTON, optional="button"),
    _row("mouse_dblclick", "click", *XY, BUTTON, optional="button", double=True),
    _row("mouse_move", "hover", *XY),
    _row(
        "mouse_drag_and_drop", "drag", *(same("from_x", "x"), same("from_y", "y"), same("to_x"), same("to_y"))
    ),
    _row("keyboard_press", "press", key("key")),
    _row("keyboard_type", "type", same("text")),
    _row("keyboard_insert_text", "type", same("text")),
    _row("goto", "goto", same("url")),
    _row("go_back", "back"),
    _row("noop", "wait", same("wait_ms", "ms"), optional="wait_ms"),
    _row("send_msg_to_user", "answer", same("text")),
    _row("report_infeasible", "give_up", same("reason"), optional="reason"),
    _none("focus", "Click the element."),
    _none("mouse_down", f"{AT_ONCE}: mouse_click(x, y) or mouse_drag_and_drop(from_x, from_y, to_x, to_y)."),
    _none("mouse_up", f"{AT_ONCE}: mouse_click(x, y) or mouse_drag_and_drop(from_x, from_y, to_x, to_y)."),
    _none("keyboard_down", f"{AT_ONCE}: keyboard_press('Control+a')."),
    _none("keyboard_up", f"{AT_ONCE}: keyboard_press('Control+a')."),
    _none("go_forward", "Use the links of the page."),
    _none("new_tab", ONE_TAB),
    _none("tab_close", ONE_TAB),
    _none("tab_focus", ONE_TAB),
    _none("upload_file", "Nothing is uploaded here."),
    _none("mouse_upload_file", "Nothing is uploaded here."),
)
OPENAI = (
    _row("click", "click", *XY, BUTTON_OPENAI, optional="button"),
    _row("double_click", "click", *XY, BUTTON_OPENAI, optional="button", double=True),
    _row("move", "hover", *XY),
    _row("drag", "drag", PATH),
    _row("scroll", "scroll", *XY, same("scroll_x", "dx"), same("scroll_y", "dy"), optional="x y scroll_x"),
    _row("type", "type", same("text")),
    _row("keypress", "press", KEYS),
    _row("wait", "wait", same("ms"), optional="ms"),
    _row("screenshot", "noop"),
)
ANTHROPIC = (
    _row("left_click", "click", AT),
    _row("right_click", "click", AT, button="right"),
    _row("middle_click", "click", AT, button="middle"),
    _row("double_click", "click", AT, double=True),
    _row("left_click_drag", "drag", pair("start_coordinate", "x", "y"), pair("coordinate", "to_x", "to_y")),
    _row("mouse_move", "hover", AT),
    _row("scroll", "scroll", AT, WHEEL, optional="coordinate"),
    _row("type", "type", same("text")),
    _row("key", "press", KEY_XDOTOOL),
    _row("wait", "wait", SECONDS, optional="duration"),
    _row("screenshot", "noop"),
    _none("triple_click", 'To select what a field holds, click it, then press the key "ctrl+a".'),
    _none("left_mouse_down", f'{AT_ONCE}: "left_click" or "left_click_drag".'),
    _none("left_mouse_up", f'{AT_ONCE}: "left_click" or "left_click_drag".'),
    _none("hold_key", f'{AT_ONCE}: "key" with a chord such as "ctrl+a".'),
    _none("cursor_position", "Every action names its own position."),
    _none("zoom", "The picture has all pixels of the page."),
)


def find_counterpart(name: str, table: Sequence[Counterpart]) -> Counterpart | None:
    return next((row for row in table if row.name == name), None)


def counterpart_write(declared: Fields, table: Sequence[Counterpart]) -> tuple[str, dict[str, Any]] | None:
    """Translate our action to another grammar's name and fields, by the first row that can express it."""
    for row in table:
        written = row.write(declared)
        if written is not None:
            return row.name, written
    return None


def parts_of(declared: Fields) -> list[dict[str, Any]]:
    """Split an action that another grammar cannot express with a single action into simpler ones.

    For example, typing into a field becomes clicking it, selecting its content and typing. Raises
    ``ValueError`` if the action cannot be split.
    """
    kind, fields = declared["type"], {name: value for name, value in declared.items() if value is not None}
    aim = {name: fields[name] for name in ("target", "x", "y") if fields.get(name) not in (None, "")}
    if kind == "sequence":
        return list(fields["actions"])
    if kind == "press" and aim:
        return [{"type": "click", **aim}, {"type": "press", "key": fields["key"]}]
    if kind == "fill" and len(fields["fields"]) > 1:
        return [{"type": "fill", "fields": [entry]} for entry in fields["fields"]]
    if kind == "fill":
        return [_entry_action(**fields["fields"][0])]
    if kind != "type" or not (aim or fields.get("clear")):
        raise ValueError(f"This grammar cannot write {dict(declared)}.")
    parts = [{"type": "click", **aim}] if aim else []
    if fields.get("clear"):
        parts.append({"type": "press", "key": "Control+a"})
        if not fields["text"]:
            return [*parts, {"type": "press", "key": "Delete"}]
    return [*parts, {"type": "type", "text": fields["text"]}]


def _entry_action(*, target: str, text: str | None = None, value: str | None = None) -> dict[str, Any]:
    """Return the single action that has the same effect as one entry of ``fill``."""
    if value is not None:
        return {"type": "select", "target": target, "value": value}
    return {"type": "type", "target": target, "text": text, "clear": True}
