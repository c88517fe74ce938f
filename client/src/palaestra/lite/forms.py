"""What a form sends."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit, urlunsplit

from palaestra.lite.document import BUTTONS, Element

UNSENT = ("checkbox", "radio")


@dataclass(frozen=True, kw_only=True)
class Sent:
    """A request; ``body`` is None for one that only opens a page."""

    url: str
    body: str | None = None


def form_sent(form: Element, button: Element | None) -> Sent:
    """The request of a form, sent by its ``button`` or by the Enter key."""
    attrs = form.attrs
    action = (button.attrs.get("formaction") if button is not None else None) or attrs.get("action", "")
    address = form.document.resolve(action) if action else form.document.url
    pairs = urlencode(entries(form, button))
    if method_of(form, button) == "post":
        return Sent(url=address, body=pairs)
    return Sent(url=urlunsplit((*urlsplit(address)[:3], pairs, "")))


def method_of(form: Element, button: Element | None) -> str:
    given = button.attrs.get("formmethod") if button is not None else None
    return (given or form.attrs.get("method") or "get").lower()


def entries(form: Element, button: Element | None) -> list[tuple[str, str]]:
    """The names and values of what a form holds, in the order of the page."""
    pairs: list[tuple[str, str]] = []
    for control in form.document.controls:
        name = control.attrs.get("name", "")
        if not name or control.form is not form or control.is_disabled:
            continue
        if control.tag == "select":
            chosen = (one for one in control.options if one.is_checked and not one.is_disabled)
            pairs += [(name, one.option_value) for one in chosen]
        elif is_button(control):
            pairs += [(name, control.attrs.get("value", ""))] if control is button else []
        elif control.type not in UNSENT or control.is_checked:
            pairs.append((name, _lines(control.value)))
    return pairs


def is_button(control: Element) -> bool:
    return control.tag == "button" or (control.tag == "input" and control.type in BUTTONS)


def is_submit(control: Element) -> bool:
    return is_button(control) and control.type in ("submit", "image")


def default_button(form: Element) -> Element | None:
    """The button that the Enter key presses."""
    return next((one for one in form.document.controls if is_submit(one) and one.form is form), None)


def problem_of(form: Element) -> Element | None:
    """The first field that a browser would not send as it is: empty although required."""
    if "novalidate" in form.attrs:
        return None
    return next((one for one in form.document.controls if one.form is form and _is_missing(one)), None)


def _is_missing(control: Element) -> bool:
    if "required" not in control.attrs or control.is_disabled:
        return False
    if control.type == "checkbox":
        return not control.is_checked
    if control.type == "radio":
        return not any(one.is_checked for one in radio_group(control))
    if control.tag == "select":
        return not any(one.is_checked and one.option_value for one in control.options)
    return not control.value


def radio_group(radio: Element) -> list[Element]:
    """The buttons of which one is chosen."""
    name = radio.attrs.get("name", "")
    alike = (one for one in radio.document.controls if one.tag == "input" and one.type == "radio")
    return [one for one in alike if one.attrs.get("name", "") == name and one.form is radio.form]


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\n", "\r\n")
