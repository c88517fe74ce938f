"""The requests that forms make when they are submitted."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit, urlunsplit

from palaestra.pages.lite.document import BUTTONS, Element

UNSENT = ("checkbox", "radio")


@dataclass(frozen=True, kw_only=True)
class PageRequest:
    """A request for a page: a GET if ``body`` is None, otherwise a POST of the urlencoded form."""

    url: str
    body: str | None = None


def build_request(form: Element, button: Element | None) -> PageRequest:
    """Return the request of a form that is submitted by its ``button`` or by the Enter key (None)."""
    attrs = form.attrs
    action = (button.attrs.get("formaction") if button is not None else None) or attrs.get("action", "")
    address = form.document.resolve(action) if action else form.document.url
    pairs = urlencode(collect_entries(form, button))
    if find_method(form, button) == "post":
        return PageRequest(url=address, body=pairs)
    return PageRequest(url=urlunsplit((*urlsplit(address)[:3], pairs, "")))


def find_method(form: Element, button: Element | None) -> str:
    """Return the submission method in lower case: ``get``, ``post`` or ``dialog``."""
    given = button.attrs.get("formmethod") if button is not None else None
    return (given or form.attrs.get("method") or "get").lower()


def collect_entries(form: Element, button: Element | None) -> list[tuple[str, str]]:
    """Return the names and values of a form's controls, in page order."""
    pairs: list[tuple[str, str]] = []
    for control in form.document.controls:
        name = control.attrs.get("name", "")
        if not name or control.form is not form or control.is_disabled:
            continue
        if control.tag == "select":
            chosen = (option for option in control.options if option.is_checked and not option.is_disabled)
            pairs += [(name, option.option_value) for option in chosen]
        elif is_button(control):
            pairs += [(name, control.attrs.get("value", ""))] if control is button else []
        elif control.type not in UNSENT or control.is_checked:
            pairs.append((name, _send_newlines(control.value)))
    return pairs


def is_button(control: Element) -> bool:
    return control.tag == "button" or (control.tag == "input" and control.type in BUTTONS)


def is_submit(control: Element) -> bool:
    return is_button(control) and control.type in ("submit", "image")


def find_default_button(form: Element) -> Element | None:
    """Return the button that the Enter key presses."""
    controls = form.document.controls
    return next((control for control in controls if is_submit(control) and control.form is form), None)


def find_missing_field(form: Element) -> Element | None:
    """Return the first required field that is empty, which keeps a browser from submitting the form."""
    if "novalidate" in form.attrs:
        return None
    controls = form.document.controls
    return next((control for control in controls if control.form is form and _is_missing(control)), None)


def _is_missing(control: Element) -> bool:
    if "required" not in control.attrs or control.is_disabled:
        return False
    if control.type == "checkbox":
        return not control.is_checked
    if control.type == "radio":
        return not any(radio.is_checked for radio in find_radio_group(control))
    if control.tag == "select":
        return not any(option.is_checked and option.option_value for option in control.options)
    return not control.value


def find_radio_group(radio: Element) -> list[Element]:
    """Return the radio buttons with the same form and name, including ``radio`` itself."""
    name = radio.attrs.get("name", "")
    radios = (
        control for control in radio.document.controls if control.tag == "input" and control.type == "radio"
    )
    return [other for other in radios if other.attrs.get("name", "") == name and other.form is radio.form]


def _send_newlines(text: str) -> str:
    """Write line breaks as CRLF, as browsers do in form data (HTML, "form entry list")."""
    return text.replace("\r\n", "\n").replace("\n", "\r\n")
