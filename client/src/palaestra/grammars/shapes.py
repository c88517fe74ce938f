"""Translations between the fields of another grammar ("theirs") and ours, in both directions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from palaestra.actions import ActionInvalid

Fields = Mapping[str, Any]
NOTCH_PX = 100  # pixels that one notch of a mouse wheel scrolls
_DIRECTIONS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
_MODIFIERS = {
    **dict.fromkeys(("ctrl", "control", "controlormeta", "control_l", "control_r"), "Control"),
    **dict.fromkeys(("cmd", "command", "meta", "super", "win", "super_l"), "Meta"),
    **dict.fromkeys(("shift", "shift_l", "shift_r"), "Shift"),
    **dict.fromkeys(("alt", "option", "alt_l", "alt_r"), "Alt"),
}
_KEYS = {
    **dict.fromkeys(("enter", "return", "kp_enter"), "Enter"),
    **dict.fromkeys(("esc", "escape"), "Escape"),
    **dict.fromkeys(("del", "delete"), "Delete"),
    **dict.fromkeys(("space", "spacebar"), "Space"),
    **dict.fromkeys(("pageup", "page_up", "prior", "pgup"), "PageUp"),
    **dict.fromkeys(("pagedown", "page_down", "next", "pgdn"), "PageDown"),
    **dict.fromkeys(("up", "arrowup", "uparrow"), "ArrowUp"),
    **dict.fromkeys(("down", "arrowdown", "downarrow"), "ArrowDown"),
    **dict.fromkeys(("left", "arrowleft", "leftarrow"), "ArrowLeft"),
    **dict.fromkeys(("right", "arrowright", "rightarrow"), "ArrowRight"),
    **{name.lower(): name for name in ("Backspace", "Tab", "Home", "End", "Insert")},
}
_XDOTOOL = {
    **{
        "Control": "ctrl",
        "Shift": "shift",
        "Alt": "alt",
        "Meta": "super",
        "Enter": "Return",
        "Space": "space",
    },
    **{"Backspace": "BackSpace", "PageUp": "Page_Up", "PageDown": "Page_Down"},
    **{f"Arrow{side}": side for side in ("Up", "Down", "Left", "Right")},
}


@dataclass(frozen=True, kw_only=True)
class Shape:
    """A translation between some fields of another grammar (``theirs``) and our equivalent fields (``ours``).

    ``read`` gets those of the other grammar's fields that are present (at least one is), and raises
    ``ActionInvalid`` if it cannot read them. ``write`` gets our fields, all of which are present.
    """

    theirs: tuple[str, ...]
    ours: tuple[str, ...]
    read: Callable[[Fields], dict[str, Any]]
    write: Callable[[Fields], dict[str, Any]]


def same(theirs: str, ours: str = "") -> Shape:
    """Return the shape of a field that has the same value in both grammars, but perhaps another name."""
    ours = ours or theirs
    return Shape(
        theirs=(theirs,),
        ours=(ours,),
        read=lambda fields: {ours: fields[theirs]},
        write=lambda fields: {theirs: fields[ours]},
    )


def key(theirs: str) -> Shape:
    """Return the shape of a key or chord, which is translated to Playwright's names."""
    return Shape(
        theirs=(theirs,),
        ours=("key",),
        read=lambda fields: {"key": key_read(fields[theirs])},
        write=lambda fields: {theirs: fields["key"]},
    )


def pair(theirs: str, *ours: str) -> Shape:
    """Return the shape of two numbers in a list, such as ``"coordinate": [640, 360]``."""

    def read(fields: Fields) -> dict[str, Any]:
        return dict(zip(ours, _point(fields[theirs], theirs), strict=True))

    return Shape(
        theirs=(theirs,), ours=ours, read=read, write=lambda fields: {theirs: [fields[name] for name in ours]}
    )


def checked(theirs: str, *, is_checked: bool) -> Shape:
    """Return the shape of a check box's id; our action ``fill`` checks or unchecks the box."""

    def write(fields: Fields) -> dict[str, Any]:
        [entry] = fields["fields"]
        if entry.get("checked") is not is_checked:
            raise ValueError("That is a different action.")
        return {theirs: entry["target"]}

    return Shape(
        theirs=(theirs,),
        ours=("fields",),
        read=lambda fields: {"fields": [{"target": fields[theirs], "checked": is_checked}]},
        write=write,
    )


def _point(value: Any, name: str) -> list[Any]:
    if isinstance(value, Mapping):
        value = [value.get("x"), value.get("y")]
    if not isinstance(value, list) or len(value) != 2 or None in value:
        raise ActionInvalid(f'"{name}" must be a position in pixels, such as [640, 360].')
    return value


def _path_read(fields: Fields) -> dict[str, Any]:
    path = fields["path"]
    if not isinstance(path, list) or len(path) < 2:
        raise ActionInvalid('"path" must be a list of positions: [{"x": 10, "y": 20}, {"x": 90, "y": 20}].')
    (x, y), (to_x, to_y) = _point(path[0], "path"), _point(path[-1], "path")
    return {"x": x, "y": y, "to_x": to_x, "to_y": to_y}


def _path_write(fields: Fields) -> dict[str, Any]:
    return {"path": [{"x": fields["x"], "y": fields["y"]}, {"x": fields["to_x"], "y": fields["to_y"]}]}


def _wheel_read(fields: Fields) -> dict[str, Any]:
    direction, notches = fields.get("scroll_direction", "down"), fields.get("scroll_amount", 3)
    is_number = isinstance(notches, (int, float)) and not isinstance(notches, bool)
    if direction not in _DIRECTIONS or not is_number:
        raise ActionInvalid('A scroll needs "scroll_direction" (up, down, left, right) and "scroll_amount".')
    dx, dy = _DIRECTIONS[direction]
    distance = round(notches * NOTCH_PX)
    return {"dx": dx * distance, "dy": dy * distance}


def _wheel_write(fields: Fields) -> dict[str, Any]:
    dx, dy = fields["dx"], fields["dy"]
    if dx and dy:
        raise ValueError("A wheel turns in one direction at a time.")
    direction = ("right" if dx > 0 else "left") if dx else ("down" if dy > 0 else "up")
    return {"scroll_direction": direction, "scroll_amount": abs(dx or dy) / NOTCH_PX}


def _seconds_read(fields: Fields) -> dict[str, Any]:
    seconds = fields["duration"]
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
        raise ActionInvalid('"duration" must be a number of seconds.')
    return {"ms": seconds * 1000}


def _option_read(fields: Fields) -> dict[str, Any]:
    options = fields["options"]
    if isinstance(options, list):
        if len(options) != 1:
            raise ActionInvalid("One option can be chosen at a time.")
        [options] = options
    return {"value": options}


BUTTON_OPENAI = Shape(
    theirs=("button",),
    ours=("button",),
    read=lambda fields: {"button": "middle" if fields["button"] == "wheel" else fields["button"]},
    write=lambda fields: {"button": "wheel" if fields["button"] == "middle" else fields["button"]},
)
PATH = Shape(theirs=("path",), ours=("x", "y", "to_x", "to_y"), read=_path_read, write=_path_write)
WHEEL = Shape(
    theirs=("scroll_direction", "scroll_amount"), ours=("dx", "dy"), read=_wheel_read, write=_wheel_write
)
SECONDS = Shape(
    theirs=("duration",),
    ours=("ms",),
    read=_seconds_read,
    write=lambda fields: {"duration": fields["ms"] / 1000},
)
KEY_XDOTOOL = Shape(
    theirs=("text",),
    ours=("key",),
    read=lambda fields: {"key": key_read(fields["text"])},
    write=lambda fields: {"text": key_write_xdotool(fields["key"])},
)
KEYS = Shape(
    theirs=("keys",),
    ours=("key",),
    read=lambda fields: {"key": key_read(fields["keys"])},
    write=lambda fields: {"keys": key_write_openai(fields["key"])},
)
OPTION = Shape(
    theirs=("options",), ours=("value",), read=_option_read, write=lambda fields: {"options": fields["value"]}
)


def key_read(value: Any) -> str:
    """Translate a key or chord such as ``ctrl+a`` or ``["CTRL", "A"]`` to Playwright's names: ``Control+a``.

    Unknown names stay as they are. Raises ``ActionInvalid`` unless the value is a string or a list of
    strings.
    """
    parts = value if isinstance(value, list) else _parts(str(value))
    if not parts or not all(isinstance(part, str) for part in parts):
        raise ActionInvalid('A key is a name such as "Enter", or a chord such as "Control+a".')
    names = [_MODIFIERS.get(part.lower()) or _KEYS.get(part.lower()) or part for part in parts]
    if len(names) > 1 and len(names[-1]) == 1:
        names[-1] = names[-1].lower()
    return "+".join(names)


def key_write_xdotool(key: str) -> str:
    return "+".join(_XDOTOOL.get(part, part) for part in _parts(key))


def key_write_openai(key: str) -> list[str]:
    short = {"Control": "CTRL", "Escape": "ESC"}
    return [short.get(part, part.upper() if len(part) > 1 else part) for part in _parts(key)]


def _parts(key: str) -> list[str]:
    """Return the keys of a chord; ``+`` itself may be one."""
    if len(key) < 2:
        return [key]
    return [part or "+" for part in key.removesuffix("+").split("+")] + (["+"] if key.endswith("++") else [])
