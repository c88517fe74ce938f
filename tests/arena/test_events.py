from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.conf import LazySettings, settings

from tests import factories
from trajectories.actions.types import PAGE_KINDS
from trajectories.models import Episode, PageEvent, PageEventTally

SendEvents = Callable[..., int]
PAGE = "0123456789abcdef"
MAX_STEPS = 12


def event(seq: int, **fields: Any) -> dict[str, Any]:
    return {"seq": seq, "kind": "click", "at_ms": 12.5, "data": {"name": "Submit"}, **fields}


def batch(*events: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"page": PAGE, "events": list(events), **fields}


def rows(episode: Episode) -> list[tuple[str, int, int | None, str]]:
    events = PageEvent.objects.filter(episode=episode).order_by("page", "seq")
    return list(events.values_list("page", "seq", "step", "kind"))


def test_events_are_stored_with_their_data(send_events: SendEvents) -> None:
    episode = factories.episode()

    assert send_events(episode, batch(event(1, data={"name": "Ωμέγα 🏛", "x": 3}))) == 204

    stored = PageEvent.objects.get(episode=episode)
    assert (stored.page, stored.seq, stored.kind, stored.at_ms) == (PAGE, 1, "click", 12.5)
    assert stored.data == {"name": "Ωμέγα 🏛", "x": 3}


def test_a_batch_sent_twice_is_stored_and_counted_once(send_events: SendEvents) -> None:
    episode = factories.episode()

    for _ in range(3):
        assert send_events(episode, batch(event(1), event(2))) == 204
    assert send_events(episode, batch(event(2), event(3))) == 204

    assert [seq for _, seq, _, _ in rows(episode)] == [1, 2, 3]
    assert PageEventTally.objects.get(episode=episode).events == 3


def acts_of(episode: Episode) -> tuple[int, int]:
    tally = PageEventTally.objects.get(episode=episode)
    return tally.gestures, tally.fields


def test_acts_outside_any_step_are_tallied_as_gestures_and_fields(send_events: SendEvents) -> None:
    episode = factories.episode()
    field = {"role": "textbox", "element": "1/0", "trusted": True}
    label, box = ({"role": role, "trusted": True} for role in ("label", "checkbox"))
    button = {"role": "button", "trusted": True}
    acts = [
        event(1, at_ms=100, data=field),
        event(2, kind="input", at_ms=200, data=field),
        event(3, at_ms=1001, data=label),
        event(4, at_ms=1002, data=box),
        event(5, kind="input", at_ms=1002, data=box),
        event(6, kind="key", at_ms=2001, data={"key": "Enter"}),
        event(7, at_ms=2002, data=button),
        event(8, at_ms=3000, data={**button, "trusted": False}),
        event(9, kind="scroll", at_ms=4000),
    ]
    send_events(episode, batch(*acts))
    assert acts_of(episode) == (2, 1)
    send_events(episode, batch(event(10, kind="input", at_ms=5000, data=field)))
    assert acts_of(episode) == (2, 1)
    other = {**field, "element": "1/1"}
    send_events(episode, batch(event(11, kind="input", at_ms=6000, data=other), event(12, at_ms=7000)))
    assert acts_of(episode) == (3, 2)
    send_events(episode, batch(*acts))
    assert acts_of(episode) == (3, 2)


def test_acts_in_a_step_of_the_harness_are_not_tallied(send_events: SendEvents) -> None:
    episode = factories.episode()
    send_events(episode, batch(event(1), event(2, kind="input"), step=3))
    send_events(episode, batch(event(3, step=4), event(4, kind="key", step=4)))
    assert acts_of(episode) == (0, 0)
    send_events(episode, batch(event(5)), HTTP_X_GYM_STEP="5")
    assert acts_of(episode) == (0, 0)
    send_events(episode, batch(event(6, step=MAX_STEPS + 1)))
    assert acts_of(episode) == (1, 0)


def test_page_loads_number_their_events_apart(send_events: SendEvents) -> None:
    episode = factories.episode()

    send_events(episode, batch(event(1)))
    send_events(episode, {**batch(event(1)), "page": "fedcba9876543210"})

    assert len(rows(episode)) == 2


@pytest.mark.parametrize(
    ("header", "page_step", "own_step", "stored"),
    [
        (None, None, None, None),
        (None, 2, None, 2),
        ("3", 2, None, 3),
        ("3", 2, 4, 4),
        ("-3", 2, None, 2),
        ("99999999999", 2, None, 2),
        ("9999999", 2, None, 2),
        (str(MAX_STEPS), 2, None, MAX_STEPS),
        (str(MAX_STEPS + 1), 2, None, 2),
        ("3", 2, MAX_STEPS + 1, 3),
        (None, MAX_STEPS + 1, None, None),
        ("٣", 2, None, 2),
    ],
)
def test_an_event_belongs_to_the_nearest_step(
    header: str | None,
    page_step: int | None,
    own_step: int | None,
    stored: int | None,
    send_events: SendEvents,
) -> None:
    episode = factories.episode(max_steps=MAX_STEPS)
    headers = {"x-gym-step": header.encode().decode("latin-1")} if header else {}

    send_events(episode, batch(event(1, step=own_step), step=page_step), headers=headers)

    assert rows(episode) == [(PAGE, 1, stored, "click")]


def test_past_the_number_cap_one_marker_is_stored(send_events: SendEvents, settings: LazySettings) -> None:
    settings.PAGE_EVENTS_MAX = 3
    episode = factories.episode()

    statuses = [send_events(episode, batch(event(number), event(number + 1))) for number in range(1, 9, 2)]

    assert statuses == [204] * 4
    assert rows(episode) == [("", 0, None, "capped"), (PAGE, 1, None, "click"), (PAGE, 2, None, "click")]


def test_past_the_size_cap_one_marker_is_stored(send_events: SendEvents, settings: LazySettings) -> None:
    settings.PAGE_EVENT_BYTES_MAX = 1000
    episode = factories.episode()

    statuses = [send_events(episode, batch(event(n, data={"value": "x" * 600}))) for n in range(1, 5)]

    assert statuses == [204] * 4
    assert [kind for *_, kind in rows(episode)] == ["capped", "click"]
    assert PageEventTally.objects.get(episode=episode).capped


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'"text"',
        b"\xff\xfe",
        b'{"page": "short", "events": []}',
        b'{"events": []}',
        b'{"page": "0123456789", "events": {}}',
        b'{"page": "0123456789", "events": [], "more": 1}',
        b'{"page": "0123456789", "step": 0, "events": []}',
        b'{"page": "0123456789", "events": [{"seq": 0, "kind": "key", "at_ms": 1}]}',
        b'{"page": "0123456789", "events": [{"seq": 2147483648, "kind": "key", "at_ms": 1}]}',
        b'{"page": "0123456789", "events": [{"seq": 1.5, "kind": "key", "at_ms": 1}]}',
        b'{"page": "0123456789", "events": [{"seq": "1", "kind": "key", "at_ms": 1}]}',
        b'{"page": "0123456789", "events": [{"seq": 1, "kind": "Click me", "at_ms": 1}]}',
        b'{"page": "0123456789", "events": [{"seq": 1, "kind": "key", "at_ms": NaN}]}',
        b'{"page": "0123456789", "events": [{"seq": 1, "kind": "key", "at_ms": -1}]}',
        b'{"page": "0123456789", "events": [{"seq": 1, "kind": "key", "at_ms": 1e999}]}',
        b'{"page": "0123456789", "events": [{"seq": 1, "kind": "key", "at_ms": 1, "data": []}]}',
        b'{"page": "01234567", "events": [{"seq": 1, "kind": "key", "at_ms": 1, "data": {"a": "\\u0000"}}]}',
        b'{"page": "0123456789", "events": [{"seq": 1, "kind": "key", "at_ms": 1, "data": {"\\u0000": 1}}]}',
        b'{"page": "01234567", "events": [{"seq": 1, "kind": "key", "at_ms": 1, "data": {"a": "\\ud800"}}]}',
        b'{"page": "0123456789", "events": [{"seq": 1, "kind": "key", "at_ms": 1, "data": {"a": '
        + b"[" * 50_000,
        b'{"page": "0123456789", "events": [{"seq": 1, "kind": "key", "at_ms": 1, "data": {"a": '
        + b"[" * 20_000
        + b"]" * 20_000
        + b"}}]}",
    ],
)
def test_a_malformed_batch_is_refused_and_nothing_stored(body: bytes, send_events: SendEvents) -> None:
    episode = factories.episode()

    assert send_events(episode, body) == 400

    assert rows(episode) == []


@pytest.mark.parametrize("kind", ["capped", "page_served", "pages_capped", "answer_recorded", "made_up"])
def test_a_page_cannot_report_what_only_the_server_stores(kind: str, send_events: SendEvents) -> None:
    episode = factories.episode()

    assert send_events(episode, batch(event(1), event(2, kind=kind))) == 400

    assert rows(episode) == []


def test_the_recorder_reports_the_kinds_that_are_accepted() -> None:
    script = (settings.BASE_DIR / "static/js/arena/recorder.js").read_text()

    assert set(re.findall(r'\brecord\("([a-z_]+)"', script)) == set(PAGE_KINDS)


def test_a_batch_with_one_bad_event_stores_none(send_events: SendEvents) -> None:
    episode = factories.episode()

    assert send_events(episode, batch(event(1), event(2, at_ms="soon"))) == 400

    assert rows(episode) == []


@pytest.mark.parametrize("text", [r"\u0000", "\\", r"\\u0000", "1e999", "%s %(page)s"])
def test_dangerous_looking_text_is_stored_unchanged(text: str, send_events: SendEvents) -> None:
    episode = factories.episode()

    assert send_events(episode, batch(event(1, data={"value": text}))) == 204

    assert PageEvent.objects.get(episode=episode).data == {"value": text}


@pytest.mark.parametrize("number", ["1e400", "123456789" * 60, "-0.0", "1e-400"])
def test_infinite_numbers_do_not_break_the_store(number: str, send_events: SendEvents) -> None:
    episode = factories.episode()
    body = b'{"page": "0123456789", "events": [{"seq": 1, "kind": "key", "at_ms": 1, "data": {"a": %b}}]}'

    assert send_events(episode, body % number.encode()) in (204, 400)


def test_a_batch_that_is_too_large_is_413(send_events: SendEvents) -> None:
    episode = factories.episode()

    assert send_events(episode, batch(event(1, data={"value": "x" * 300_000}))) == 413
    assert send_events(episode, batch(*(event(n) for n in range(1, 502)))) == 400

    assert rows(episode) == []


def test_nothing_is_stored_when_recording_is_off(send_events: SendEvents) -> None:
    episode = factories.episode(recording="off")

    assert send_events(episode, batch(event(1))) == 204

    assert rows(episode) == []


def test_events_are_accepted_shortly_after_the_verdict(send_events: SendEvents) -> None:
    episode = factories.episode()
    factories.submission(episode)
    factories.verdict(episode)

    assert send_events(episode, batch(event(1))) == 204

    assert len(rows(episode)) == 1


def test_a_batch_is_one_statement(send_events: SendEvents, django_assert_num_queries: Any) -> None:
    episode = factories.episode()
    with django_assert_num_queries(3):
        send_events(episode, batch(event(1), event(2)))
