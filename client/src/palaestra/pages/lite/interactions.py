"""Interactions with a page's elements: the functions that actions call, named as in ``js/page.js``.

A page without a layout has no positions. ``locate`` therefore appends the element to ``targets`` and returns
its index as ``x``; the mouse (``page.Hands``) acts on the target with that index.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from palaestra.pages.lite.document import BUTTONS, Element
from palaestra.pages.lite.forms import (
    PageRequest,
    build_request,
    find_default_button,
    find_method,
    find_missing_field,
    find_radio_group,
    is_button,
    is_submit,
)
from palaestra.pages.lite.ids import Ids, join_ids
from palaestra.pages.lite.names import FIELDS, Names
from palaestra.pages.lite.outline import Outline
from palaestra.pages.lite.sections import find_lines, read_section

NAME_CHARS = 60
NO_TEXT = BUTTONS | {"checkbox", "radio", "hidden", "file", "select-one", "select-multiple"}
TOGGLES = ("checkbox", "radio")
TOGGLE_ROLES = ("checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio")
MAXIMUM = "maxlength"
NUMBER_CHARS = frozenset("0123456789.eE+-")
Answer = dict[str, Any]
Aim = Mapping[str, Any]
NO_POSITIONS = "the page is read without a browser: it has no positions"


class Interactions:
    """Acts on one document. ``pending_request`` is the request that the last action causes, if any."""

    def __init__(self, names: Names, ids: Ids) -> None:
        self.names = names
        self.ids = ids
        self.outline = Outline(names, ids)
        self.document = names.document
        focused = (control for control in self.document.controls if "autofocus" in control.attrs)
        self.document.focused = next((control for control in focused if self._is_shown(control)), None)
        self.targets: list[Element] = []
        self.popped: list[Element] = []
        self.pending_request: PageRequest | None = None
        self.opens_tab = False
        self.clears = False

    # ---- aims
    def _resolve_target(self, aim: Aim) -> Element | str:
        """Return the element that an aim names, or a message that says why there is none."""
        if "id" in aim:
            element = self.ids.find(aim["id"])
            return element or f"there is no such element on the page{self._list_shown_ids(', which has ')}"
        if "x" in aim:
            return NO_POSITIONS
        return self.document.focused or self.document.body or self.document.root

    def _list_shown_ids(self, introduction: str) -> str:
        """Return the ids on the page after an introduction; an empty string if there are none."""
        known = [id for id, element in self.ids.holders if self._is_shown(element)]
        return introduction + join_ids(known) if known else ""

    def _is_shown(self, element: Element) -> bool:
        around = (element, *element.ancestors)
        if any(self.names.style(part).is_none for part in around):
            return False
        closed = (
            outer for outer in element.ancestors if outer.tag == "details" and "open" not in outer.attrs
        )
        return all(_is_in_summary(element, details) for details in closed)

    def _add_target(self, element: Element) -> Answer:
        """Return an element's position, or the reason why the mouse cannot reach it."""
        if not any(self._is_shown(part) for part in (element, *element.labels)):
            return {"problem": f"it is not shown now{self._list_shown_ids('; the page shows ')}"}
        if any("inert" in part.attrs for part in (element, *element.ancestors)):
            return self._describe_cover()
        self.targets.append(element)
        return {"x": len(self.targets) - 1, "y": 0}

    def _describe_cover(self) -> Answer:
        """Return the modal that covers the rest of the page, and the button that closes it."""
        elements = self.document.elements
        modal = next((layer for layer in elements if layer.attrs.get("aria-modal") == "true"), None)
        if modal is None:
            return {"problem": "it is covered by another element"}
        named = self.names.label(modal, NAME_CHARS) or "another element"
        button = modal.find_first("button")
        close = None
        if button is not None:
            id = next((id for id, element in self.ids.holders if element is button), "")
            close = {"id": id, "name": self.names.label(button, NAME_CHARS)}
        return {"problem": f"it is covered by {named}", "close": close}

    def locate(self, aim: Aim) -> Answer:
        element = self._resolve_target(aim)
        if isinstance(element, str):
            return {"problem": element}
        return {"element": element.path, **self._add_target(element)}

    def clickable(self, aim: Aim, button: str) -> Answer:
        element = self._resolve_target(aim)
        if isinstance(element, str):
            return {"problem": element}
        control = _find_control(element)
        if control.is_disabled:
            return {"problem": "it is disabled", "element": element.path}
        if button == "left" and control.type == "select-one" and int(control.attrs.get("size") or 1) < 2:
            self.document.focused = control
            options = self.names.options(control)
            problem = (
                'this list opens nothing here; it has the focus now: choose with "select", or with ArrowDown '
                f"and ArrowUp; its options: {options}"
            )
            return {"problem": problem, "result": "refused", "element": control.path}
        return self.locate(aim)

    def control(self, aim: Aim) -> Answer:
        element = self._resolve_target(aim)
        if isinstance(element, str):
            return {"problem": element}
        is_toggle = element.type in TOGGLES or element.attrs.get("role") in TOGGLE_ROLES
        is_checked = element.is_checked or element.attrs.get("aria-checked") == "true"
        state = {"checked": is_checked} if is_toggle else {}
        return {"element": element.path, "isList": element.tag == "select", **state}

    def focus(self, aim: Aim, clear: bool) -> Answer:
        element = self._resolve_target(aim)
        if isinstance(element, str):
            return {"problem": element}
        is_field = element.tag in FIELDS and element.type not in NO_TEXT
        if not aim and not is_field:
            return {"problem": "no field has the focus: name the field, or click it first"}
        if not is_field:
            choose = '; choose with "select"' if element.tag == "select" else ""
            return {"problem": f"{self.names.label(element, NAME_CHARS) or 'it'} takes no text{choose}"}
        reason = "it is disabled" if element.is_disabled else "it is read-only"
        if element.is_disabled or "readonly" in element.attrs:
            return {"problem": reason, "element": element.path}
        position = self._add_target(element)
        if "problem" not in position:
            self.document.focused, self.clears = element, clear
        return {
            "element": element.path,
            "had": len(element.value),
            "lines": element.tag == "textarea",
            **_describe_input(element),
            **position,
        }

    def enter(self, _: Aim, value: str) -> Answer:
        """Set the value of the focused field."""
        if self.document.focused is None:
            return {"taken": False}
        self.document.focused.value, self.clears = value, False
        return {"taken": True}

    def held(self) -> Answer:
        """Return the value of the focused field."""
        return {"value": self.document.focused.value if self.document.focused is not None else ""}

    def scroll(self, aim: Aim, dx: float, dy: float) -> Answer:
        """Report that nothing moves: the outline always shows the whole page."""
        if aim:
            return self.locate(aim)
        return {} if dy or not dx else {"problem": "nothing in view moves that way"}

    def reach(self, aim: Aim) -> Answer:
        position = self.locate(aim)
        if "problem" in position:
            return position
        element = self.targets[position["x"]]
        if not _takes_focus(element):
            return {"problem": "it does not take the focus"}
        self.document.focused = element
        return {"element": element.path}

    def choose(self, aim: Aim, value: str) -> Answer:
        target = self._resolve_target(aim)
        if isinstance(target, str):
            return {"problem": target}
        element = _find_control(target)
        if element.tag != "select":
            name = self.names.label(element, NAME_CHARS) or "it"
            return {"problem": f"{name} is not a list to select from"}
        if element.is_disabled:
            return {"problem": "it is disabled", "element": element.path}
        position = self._add_target(element)
        if "problem" in position:
            return {"element": element.path, **position}
        options = element.options
        named = [option for option in options if option.option_label == value]
        choice = next(iter(named or (option for option in options if option.option_value == value)), None)
        if choice is None or "disabled" in choice.attrs:
            return {"problem": f"it has no such option; its options: {self.names.options(element)}"}
        self.document.focused = element
        for option in options:
            option.is_checked = option is choice or (option.is_checked and element.type == "select-multiple")
        return {"element": element.path}

    # ---- the mouse and the keyboard
    def click(self, element: Element) -> None:
        """Click an element, with the effect that it has in a browser without scripts."""
        control = _find_control(element)
        summary = element.closest("summary")
        self.document.focused = control if _takes_focus(control) else None
        self._dismiss(control)
        if control.tag == "a" and "href" in control.attrs:
            self._follow(control)
        elif summary is not None and control is element:
            self._fold(summary)
        elif control.tag == "input" and control.type in TOGGLES:
            _toggle(control)
        elif is_button(control):
            self._press(control)

    def key(self, key: str) -> None:
        """Press a key on the focused element."""
        element = self.document.focused
        if element is None:
            return
        if key == "Enter":
            self._enter(element)
        elif key == "Space" and (is_button(element) or element.type in TOGGLES or element.tag == "summary"):
            self.click(element)
        elif key in ("ArrowDown", "ArrowUp") and element.type == "select-one":
            _move_choice(element, 1 if key == "ArrowDown" else -1)
        elif key == "Control+a":
            self.clears = True
        elif key in ("Backspace", "Delete") and _takes_text(element):
            element.value = "" if self.clears else element.value[:-1] if key == "Backspace" else element.value
            self.clears = False
        elif len(key) == 1 or key == "Space":
            self.write(" " if key == "Space" else key)

    def write(self, text: str) -> None:
        """Type a text into the focused field."""
        element = self.document.focused
        if element is None or not _takes_text(element):
            return
        if self.clears:
            element.value, self.clears = "", False
        if element.tag != "textarea":
            text, *after = text.split("\n")
            self._write(element, text.replace("\t", ""))
            if after:
                self.key("Enter")
            return
        self._write(element, text)

    def _write(self, element: Element, text: str) -> None:
        if element.type == "number":
            text = "".join(char for char in text if char in NUMBER_CHARS)
        most = element.attrs.get(MAXIMUM, "")
        element.value = (element.value + text)[: int(most)] if most.isdecimal() else element.value + text

    def _enter(self, element: Element) -> None:
        if element.tag == "textarea":
            self._write(element, "\n")
        elif element.tag == "a" or is_button(element) or element.tag == "summary":
            self.click(element)
        elif element.tag == "input" and (form := element.form) is not None:
            button = find_default_button(form)
            if button is None or not button.is_disabled:
                self._submit(form, button)

    def _follow(self, link: Element) -> None:
        address = link.href
        if link.attrs.get("target", "").lower() == "_blank":
            self.opens_tab = True
        elif address.partition("#")[0] != self.document.url.partition("#")[0] or "#" not in address:
            self.pending_request = PageRequest(url=address)
        else:
            self.document.url = address

    def _fold(self, summary: Element) -> None:
        details = summary.parent
        if details is None or details.tag != "details":
            return
        if details.attrs.pop("open", None) is None:
            details.attrs["open"] = ""
        self._mark_changed(details)

    def _press(self, button: Element) -> None:
        opened = self.document.by_id.get(button.attrs.get("popovertarget", ""))
        if opened is not None:
            self._pop(opened, button.attrs.get("popovertargetaction", "toggle"))
        elif is_submit(button) and (form := button.form) is not None:
            self._submit(form, button)

    def _pop(self, layer: Element, action: str) -> None:
        layer.is_popped = action == "show" or (action == "toggle" and not layer.is_popped)
        self.popped = [popover for popover in (*self.popped, layer) if popover.is_popped]
        self._mark_changed(layer)
        if layer.is_popped:
            self._focus_in(layer)

    def _focus_in(self, layer: Element) -> None:
        """Move the focus into an opened layer: to its ``autofocus`` element, or to a dialog's first field."""
        inside = list(layer.walk())
        chosen = (element for element in (layer, *inside) if "autofocus" in element.attrs)
        able = inside if layer.tag == "dialog" else []
        first = (element for element in able if _takes_focus(element) and self._is_shown(element))
        self.document.focused = next(chosen, None) or next(first, self.document.focused)

    def _dismiss(self, element: Element) -> None:
        """Close the popovers that a click outside of them closes: all but ``popover="manual"``."""
        for layer in self.popped:
            opener = element.attrs.get("popovertarget")
            stays = layer.attrs.get("popover") == "manual" or layer.attrs.get("id") == opener
            if not stays and not layer.holds(element):
                self._pop(layer, "hide")

    def _mark_changed(self, element: Element) -> None:
        self.document.mark(element)
        self.names.styles_renew()

    def _submit(self, form: Element, button: Element | None) -> None:
        dialog = form.closest("dialog")
        if find_method(form, button) == "dialog":
            if dialog is not None:
                dialog.attrs.pop("open", None)
                self._mark_changed(dialog)
            return
        is_checked = button is None or "formnovalidate" not in button.attrs
        if is_checked and (missing := find_missing_field(form)) is not None:
            self.document.focused = missing
            return
        self.pending_request = build_request(form, button)


FUNCTIONS: Mapping[str, Callable[..., Answer]] = {
    "locate": Interactions.locate,
    "clickable": Interactions.clickable,
    "control": Interactions.control,
    "focus": Interactions.focus,
    "reach": Interactions.reach,
    "choose": Interactions.choose,
    "span": lambda *_: {"problem": "nothing is dragged on a page without scripts"},
    "enter": Interactions.enter,
    "held": Interactions.held,
    "scroll": Interactions.scroll,
    "section": lambda interactions, name: read_section(interactions.outline, name),
    "linesWith": lambda interactions, text, most: find_lines(interactions.outline, text, most),
    "idle": lambda *_: {},
    "flushRecorder": lambda *_: {},
}
"""The page-side functions that actions call, by name."""


def _find_control(element: Element) -> Element:
    """Return the element that a click acts on: the control around it, its label's control, or itself."""
    control = element.closest("button", "select", "input", "textarea", "a")
    label = element.closest("label")
    return control or (label.control if label is not None else None) or element


def _is_in_summary(element: Element, details: Element) -> bool:
    summary = next((child for child in details.elements if child.tag == "summary"), None)
    return summary is not None and summary.holds(element)


def _takes_focus(element: Element) -> bool:
    is_link = element.tag == "a" and "href" in element.attrs
    is_control = element.tag in (*FIELDS, "button", "summary") and not element.is_disabled
    return is_link or is_control or "tabindex" in element.attrs


def _describe_input(element: Element) -> Answer:
    """Return the type and the limits of an input element."""
    if element.tag != "input":
        return {}
    return {"kind": element.type, **element.limits}


def _takes_text(element: Element) -> bool:
    return element.tag in FIELDS and element.type not in NO_TEXT and "readonly" not in element.attrs


def _toggle(control: Element) -> None:
    if control.type == "checkbox":
        control.is_checked = not control.is_checked
        return
    for radio in find_radio_group(control):
        radio.is_checked = radio is control


def _move_choice(element: Element, by: int) -> None:
    options = [option for option in element.options if not option.is_disabled]
    before = next((index for index, option in enumerate(options) if option.is_checked), 0)
    after = min(max(before + by, 0), len(options) - 1)
    for index, option in enumerate(options):
        option.is_checked = index == after
