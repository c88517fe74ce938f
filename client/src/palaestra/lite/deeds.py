"""What is done to the elements of a page: the functions of ``js/page.js`` that actions call, by their names.

A page without a layout has no positions: the place of an element is its number among those that were aimed
at, and the mouse and the keyboard of the page act on the element of a place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from palaestra.lite.document import BUTTONS, Element
from palaestra.lite.forms import (
    Sent,
    default_button,
    form_sent,
    is_button,
    is_submit,
    method_of,
    problem_of,
    radio_group,
)
from palaestra.lite.ids import Ids, words_of_ids
from palaestra.lite.names import FIELDS, Names
from palaestra.lite.outline import Outline
from palaestra.lite.sections import lines_with, section

NAME_CHARS = 60
NO_TEXT = BUTTONS | {"checkbox", "radio", "hidden", "file", "select-one", "select-multiple"}
TOGGLES = ("checkbox", "radio")
TOGGLE_ROLES = ("checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio")
MAXIMUM = "maxlength"
OF_NUMBERS = frozenset("0123456789.eE+-")
Answer = dict[str, Any]
Aim = Mapping[str, Any]
NOWHERE = "the page is read without a browser: it has no positions"


class Deeds:
    """Acts on one document. ``leads`` is the request that the last act calls for, if any."""

    def __init__(self, names: Names, ids: Ids) -> None:
        self.names = names
        self.ids = ids
        self.outline = Outline(names, ids)
        self.document = names.document
        focused = (one for one in self.document.controls if "autofocus" in one.attrs)
        self.document.focused = next((one for one in focused if self._is_shown(one)), None)
        self.places: list[Element] = []
        self.popped: list[Element] = []
        self.leads: Sent | None = None
        self.opens_tab = False
        self.clears = False

    # ---- aims
    def _aimed(self, aim: Aim) -> Element | str:
        """The element that an aim names, or why there is none."""
        if "id" in aim:
            element = self.ids.element(aim["id"])
            return element or f"there is no such element on the page{self._known(', which has ')}"
        if "x" in aim:
            return NOWHERE
        return self.document.focused or self.document.body or self.document.root

    def _known(self, introduction: str) -> str:
        """The ids that the page has, after an introduction; nothing where it has none."""
        known = [id for id, element in self.ids.holders if self._is_shown(element)]
        return introduction + words_of_ids(known) if known else ""

    def _is_shown(self, element: Element) -> bool:
        around = (element, *element.ancestors)
        if any(self.names.style(one).is_none for one in around):
            return False
        closed = (one for one in element.ancestors if one.tag == "details" and "open" not in one.attrs)
        return all(_is_in_summary(element, one) for one in closed)

    def _reached(self, element: Element) -> Answer:
        if not any(self._is_shown(one) for one in (element, *element.labels)):
            return {"problem": f"it is not shown now{self._known('; the page shows ')}"}
        if any("inert" in one.attrs for one in (element, *element.ancestors)):
            return self._covered()
        self.places.append(element)
        return {"x": len(self.places) - 1, "y": 0}

    def _covered(self) -> Answer:
        """What lies over everything else, and what closes it."""
        layers = (one for one in self.document.elements if one.attrs.get("aria-modal") == "true")
        modal = next(layers, None)
        if modal is None:
            return {"problem": "it is covered by another element"}
        named = self.names.label(modal, NAME_CHARS) or "another element"
        button = modal.first("button")
        close = None
        if button is not None:
            id = next((id for id, one in self.ids.holders if one is button), "")
            close = {"id": id, "name": self.names.label(button, NAME_CHARS)}
        return {"problem": f"it is covered by {named}", "close": close}

    def locate(self, aim: Aim) -> Answer:
        element = self._aimed(aim)
        if isinstance(element, str):
            return {"problem": element}
        return {"element": element.path, **self._reached(element)}

    def clickable(self, aim: Aim, button: str) -> Answer:
        element = self._aimed(aim)
        if isinstance(element, str):
            return {"problem": element}
        control = _control_of(element)
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
        element = self._aimed(aim)
        if isinstance(element, str):
            return {"problem": element}
        is_toggle = element.type in TOGGLES or element.attrs.get("role") in TOGGLE_ROLES
        is_checked = element.is_checked or element.attrs.get("aria-checked") == "true"
        state = {"checked": is_checked} if is_toggle else {}
        return {"element": element.path, "isList": element.tag == "select", **state}

    def focus(self, aim: Aim, clear: bool) -> Answer:
        element = self._aimed(aim)
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
        place = self._reached(element)
        if "problem" not in place:
            self.document.focused, self.clears = element, clear
        return {
            "element": element.path,
            "had": len(element.value),
            "lines": element.tag == "textarea",
            **_kind_of(element),
            **place,
        }

    def enter(self, _: Aim, value: str) -> Answer:
        """Give the focused field a value."""
        if self.document.focused is None:
            return {"taken": False}
        self.document.focused.value, self.clears = value, False
        return {"taken": True}

    def held(self) -> Answer:
        """Return the value of the focused field."""
        return {"value": self.document.focused.value if self.document.focused is not None else ""}

    def scroll(self, aim: Aim, dx: float, dy: float) -> Answer:
        """Scroll nothing: the outline shows the whole page anyway."""
        if aim:
            return self.locate(aim)
        return {} if dy or not dx else {"problem": "nothing in view moves that way"}

    def reach(self, aim: Aim) -> Answer:
        place = self.locate(aim)
        if "problem" in place:
            return place
        element = self.places[place["x"]]
        if not _takes_focus(element):
            return {"problem": "it does not take the focus"}
        self.document.focused = element
        return {"element": element.path}

    def choose(self, aim: Aim, value: str) -> Answer:
        aimed = self._aimed(aim)
        if isinstance(aimed, str):
            return {"problem": aimed}
        element = _control_of(aimed)
        if element.tag != "select":
            what = self.names.label(element, NAME_CHARS) or "it"
            return {"problem": f"{what} is not a list to select from"}
        if element.is_disabled:
            return {"problem": "it is disabled", "element": element.path}
        place = self._reached(element)
        if "problem" in place:
            return {"element": element.path, **place}
        options = element.options
        named = [one for one in options if one.option_label == value]
        option = next(iter(named or (one for one in options if one.option_value == value)), None)
        if option is None or "disabled" in option.attrs:
            return {"problem": f"it has no such option; its options: {self.names.options(element)}"}
        self.document.focused = element
        for one in options:
            one.is_checked = one is option or (one.is_checked and element.type == "select-multiple")
        return {"element": element.path}

    # ---- the mouse and the keyboard
    def click(self, element: Element) -> None:
        """What a click does on a page without scripts."""
        control = _control_of(element)
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
        """What a key does where the focus is."""
        element = self.document.focused
        if element is None:
            return
        if key == "Enter":
            self._enter(element)
        elif key == "Space" and (is_button(element) or element.type in TOGGLES or element.tag == "summary"):
            self.click(element)
        elif key in ("ArrowDown", "ArrowUp") and element.type == "select-one":
            _move(element, 1 if key == "ArrowDown" else -1)
        elif key == "Control+a":
            self.clears = True
        elif key in ("Backspace", "Delete") and _takes_text(element):
            element.value = "" if self.clears else element.value[:-1] if key == "Backspace" else element.value
            self.clears = False
        elif len(key) == 1 or key == "Space":
            self.write(" " if key == "Space" else key)

    def write(self, text: str) -> None:
        """Type a text where the focus is."""
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
            text = "".join(one for one in text if one in OF_NUMBERS)
        most = element.attrs.get(MAXIMUM, "")
        element.value = (element.value + text)[: int(most)] if most.isdecimal() else element.value + text

    def _enter(self, element: Element) -> None:
        if element.tag == "textarea":
            self._write(element, "\n")
        elif element.tag == "a" or is_button(element) or element.tag == "summary":
            self.click(element)
        elif element.tag == "input" and (form := element.form) is not None:
            button = default_button(form)
            if button is None or not button.is_disabled:
                self._submit(form, button)

    def _follow(self, link: Element) -> None:
        address = link.href
        if link.attrs.get("target", "").lower() == "_blank":
            self.opens_tab = True
        elif address.partition("#")[0] != self.document.url.partition("#")[0] or "#" not in address:
            self.leads = Sent(url=address)
        else:
            self.document.url = address

    def _fold(self, summary: Element) -> None:
        details = summary.parent
        if details is None or details.tag != "details":
            return
        if details.attrs.pop("open", None) is None:
            details.attrs["open"] = ""
        self._changed(details)

    def _press(self, button: Element) -> None:
        opened = self.document.by_id.get(button.attrs.get("popovertarget", ""))
        if opened is not None:
            self._pop(opened, button.attrs.get("popovertargetaction", "toggle"))
        elif is_submit(button) and (form := button.form) is not None:
            self._submit(form, button)

    def _pop(self, layer: Element, action: str) -> None:
        layer.is_popped = action == "show" or (action == "toggle" and not layer.is_popped)
        self.popped = [one for one in (*self.popped, layer) if one.is_popped]
        self._changed(layer)
        if layer.is_popped:
            self._focus_in(layer)

    def _focus_in(self, layer: Element) -> None:
        """Give the focus to what a layer that has just been opened says, or to the first of a dialog."""
        inside = list(layer.walk())
        chosen = (one for one in (layer, *inside) if "autofocus" in one.attrs)
        first = (one for one in inside if layer.tag == "dialog" and _takes_focus(one) and self._is_shown(one))
        self.document.focused = next(chosen, None) or next(first, self.document.focused)

    def _dismiss(self, element: Element) -> None:
        """A click outside of a popover closes it, unless it says otherwise."""
        for layer in self.popped:
            opener = element.attrs.get("popovertarget")
            stays = layer.attrs.get("popover") == "manual" or layer.attrs.get("id") == opener
            if not stays and not layer.holds(element):
                self._pop(layer, "hide")

    def _changed(self, element: Element) -> None:
        self.document.mark(element)
        self.names.styles_renew()

    def _submit(self, form: Element, button: Element | None) -> None:
        dialog = form.closest("dialog")
        if method_of(form, button) == "dialog":
            if dialog is not None:
                dialog.attrs.pop("open", None)
                self._changed(dialog)
            return
        is_checked = button is None or "formnovalidate" not in button.attrs
        if is_checked and (missing := problem_of(form)) is not None:
            self.document.focused = missing
            return
        self.leads = form_sent(form, button)


FUNCTIONS: Mapping[str, Callable[..., Answer]] = {
    "locate": Deeds.locate,
    "clickable": Deeds.clickable,
    "control": Deeds.control,
    "focus": Deeds.focus,
    "reach": Deeds.reach,
    "choose": Deeds.choose,
    "span": lambda *_: {"problem": "nothing is dragged on a page without scripts"},
    "enter": Deeds.enter,
    "held": Deeds.held,
    "scroll": Deeds.scroll,
    "section": lambda deeds, name: section(deeds.outline, name),
    "linesWith": lambda deeds, text, most: lines_with(deeds.outline, text, most),
    "idle": lambda *_: {},
    "flushRecorder": lambda *_: {},
}
"""The page-side functions that actions call, by their names."""


def _control_of(element: Element) -> Element:
    """The control that a click on an element acts on: one around it, that of its label, or itself."""
    control = element.closest("button", "select", "input", "textarea", "a")
    label = element.closest("label")
    return control or (label.control if label is not None else None) or element


def _is_in_summary(element: Element, details: Element) -> bool:
    summary = next((one for one in details.elements if one.tag == "summary"), None)
    return summary is not None and summary.holds(element)


def _takes_focus(element: Element) -> bool:
    is_link = element.tag == "a" and "href" in element.attrs
    is_control = element.tag in (*FIELDS, "button", "summary") and not element.is_disabled
    return is_link or is_control or "tabindex" in element.attrs


def _kind_of(element: Element) -> Answer:
    """Return the type of an input element, and its limits."""
    if element.tag != "input":
        return {}
    return {"kind": element.type, **element.limits}


def _takes_text(element: Element) -> bool:
    return element.tag in FIELDS and element.type not in NO_TEXT and "readonly" not in element.attrs


def _toggle(control: Element) -> None:
    if control.type == "checkbox":
        control.is_checked = not control.is_checked
        return
    for one in radio_group(control):
        one.is_checked = one is control


def _move(element: Element, by: int) -> None:
    options = [one for one in element.options if not one.is_disabled]
    at = next((place for place, one in enumerate(options) if one.is_checked), 0)
    to = min(max(at + by, 0), len(options) - 1)
    for place, one in enumerate(options):
        one.is_checked = place == to
