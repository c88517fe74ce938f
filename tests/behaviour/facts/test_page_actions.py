"""Page events without a harness become the actions that a person would name."""

from __future__ import annotations

import random
from typing import Any

from trajectories.behaviour.facts.page_actions import PageAction, SeenEvent, derive_page_actions

ORIGIN = 1_700_000_000_000.0
FIELD = {"role": "textbox", "name": "Your answer", "element": "1/0/2"}
BUTTON = {"role": "button", "name": "Submit", "element": "1/0/3"}
BOX = {"role": "checkbox", "name": "Pool", "element": "1/1"}


class Pages:
    """Reports of page loads, one after the other."""

    def __init__(self) -> None:
        self.events: list[SeenEvent] = []
        self._origin, self._page = ORIGIN, 0

    def load(self, path: str = "", *, after_ms: float = 100, **data: Any) -> Pages:
        self._origin = (self._at(self.events[-1]) if self.events else ORIGIN) + after_ms
        self._page += 1
        return self.add("load", 0, path=path, **{"origin": self._origin, **data})

    def add(self, kind: str, after_ms: float, **data: Any) -> Pages:
        here = [event for event in self.events if event.page == f"page{self._page}"]
        at_ms = (here[-1].at_ms if here else 20.0) + after_ms
        received = self._origin + at_ms + 250
        self.events.append(
            SeenEvent(
                page=f"page{self._page}",
                seq=len(here) + 1,
                kind=kind,
                at_ms=at_ms,
                data=data,
                received_ms=received,
            )
        )
        return self

    def _at(self, event: SeenEvent) -> float:
        return self._origin + event.at_ms


def named(actions: list[PageAction]) -> list[tuple[str, str, str]]:
    return [(one.kind, one.value, one.target.partition(" ")[0]) for one in actions]


def answered() -> Pages:
    """A field clicked, filled and sent."""
    pages = Pages().load().add("settled", 50)
    pages.add("focus", 900, **FIELD).add("click", 80, **FIELD, trusted=True)
    pages.add("input", 600, **FIELD, value="1").add("key", 300, key="Backspace", **FIELD)
    pages.add("input", 200, **FIELD, value="162").add("focus", 800, **BUTTON)
    pages.add("click", 70, **BUTTON, trusted=True).add("submit", 1)
    return pages.load("done")


def test_a_field_with_all_that_was_typed_and_a_click_with_what_it_sends_are_one_action_each() -> None:
    opened, typed, sent = derive_page_actions(answered().events)
    assert named([opened, typed, sent]) == [
        ("open", "", ""),
        ("type", "162", "textbox"),
        ("click", "", "button"),
    ]
    assert (opened.opened, typed.opened, sent.opened) == ("", None, "done")
    assert (typed.is_submit, sent.is_submit) == (False, True)
    assert [one.number for one in (opened, typed, sent)] == [1, 2, 3]
    assert typed.at_ms is not None
    assert sent.at_ms is not None
    assert ORIGIN < typed.at_ms < sent.at_ms


def test_every_event_of_a_page_belongs_to_one_action() -> None:
    pages = answered()
    attributed = sorted((one.page, seq) for one in derive_page_actions(pages.events) for seq in one.seqs)
    first = [(event.page, event.seq) for event in pages.events if event.page == "page1"]
    assert attributed == first


def test_the_order_of_arrival_does_not_matter() -> None:
    events = answered().events
    shuffled = random.Random(1).sample(events, len(events))
    assert derive_page_actions(shuffled) == derive_page_actions([*events, events[3]])


def test_what_a_click_or_a_key_causes_is_no_action_of_its_own() -> None:
    label = {"role": "label", "name": "Pool", "element": "1"}
    pages = Pages().load()
    pages.add("click", 900, **label, trusted=True).add("click", 1, **BOX, trusted=True)
    pages.add("input", 1, **BOX, checked=True)
    pages.add("key", 900, key="Enter", **FIELD).add("click", 2, **BUTTON, trusted=True).add("submit", 1)
    _, toggled, pressed = derive_page_actions(pages.events)
    assert (toggled.kind, toggled.value, toggled.target) == ("toggle", "on", "checkbox “Pool”")
    assert (pressed.kind, pressed.value, pressed.is_submit) == ("press", "Enter", True)


def test_fast_clicks_on_different_pages_or_elements_are_actions_of_their_own() -> None:
    pages = Pages().load().add("click", 500, role="link", name="Next", element="1", trusted=True)
    pages.load("two").add("click", 5, role="link", name="Next", element="1", trusted=True)
    pages.add("click", 100, role="link", name="Last", element="2", trusted=True).load("three")
    assert [(one.kind, one.opened) for one in derive_page_actions(pages.events)] == [
        ("open", ""),
        ("click", "two"),
        ("click", None),
        ("click", "three"),
    ]


def test_a_page_opened_without_a_click_is_a_navigation() -> None:
    pages = Pages().load().add("click", 500, **BUTTON, trusted=True).load("two").load("one", after_ms=3_000)
    pages.load("late", after_ms=20_000)
    assert [(one.kind, one.opened) for one in derive_page_actions(pages.events)] == [
        ("open", ""),
        ("click", "two"),
        ("navigate", "one"),
        ("navigate", "late"),
    ]


def test_a_choice_is_one_action_and_scripts_act_for_nobody() -> None:
    choice = {"role": "combobox", "name": "Sort by", "element": "2"}
    pages = Pages().load().add("click", 700, **BUTTON, trusted=False)
    pages.add("input", 500, **choice, value="price").add("scroll", 500, x=0, y=300)
    assert named(derive_page_actions(pages.events))[1:] == [("select", "price", "combobox")]


def test_reports_of_any_shape_are_read() -> None:
    odd: list[Any] = [None, 5, [], {"a": 1}, "x" * 9_000, True]
    for value in odd:
        fields = dict.fromkeys(
            ("role", "name", "element", "value", "key", "path", "origin", "checked"), value
        )
        pages = Pages().load(origin=value, path=value)
        for kind in ("load", "click", "input", "key", "submit", "scroll"):
            pages.add(kind, 500, **fields)
        assert derive_page_actions(pages.events)[0].kind == "open"


def test_without_the_clock_of_its_machine_a_page_has_actions_but_no_times() -> None:
    pages = Pages().load(origin=None).add("click", 500, **BUTTON, trusted=True)
    opened, clicked = derive_page_actions(pages.events)
    assert (opened.at_ms, clicked.at_ms) == (None, None)
