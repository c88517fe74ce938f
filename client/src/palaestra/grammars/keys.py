"""Names of keys as programs write them, and as Playwright does."""

from __future__ import annotations

from typing import Any

from palaestra.actions import ActionInvalid

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


def key_read(value: Any) -> str:
    """Return a key or a chord, such as ``ctrl+a`` or ``["CTRL", "A"]``, by Playwright's names: ``Control+a``.

    An unknown name stays as it is. Raises ``ActionInvalid`` for what is neither a text nor a list of texts.
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
