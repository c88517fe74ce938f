"""The index of an episode's steps, and where in it a text occurs, for the timeline of the viewer."""

from __future__ import annotations

from typing import Any

import msgspec
from django.http import HttpResponse

from trajectories.actions.checks import CHECKS, MISMATCHES
from trajectories.lab.access import LabRequest, lab_page
from trajectories.lab.queries import episodes, step_matches, step_outline, steps
from trajectories.lab.text.actions import Phrase
from trajectories.lab.text.untrusted import cut, visible
from trajectories.models import Episode

FIELDS = (
    "index",
    "type",
    "phrase",
    "result",
    "tone",
    "ms",
    "bar",
    "picture",
    "page_change",
    "repeats",
    "action_check",
    "check_label",
)
# 500 rows of at most 200 bytes are 100 kB; a third of that is the hash of the screenshot.
TYPE_BYTES, PHRASE_BYTES = 18, 40
_encode = msgspec.json.Encoder().encode


@lab_page
def episode_index(request: LabRequest, episode_id: int) -> HttpResponse:
    """``steps`` are rows of ``fields``, those numbered from ``?from`` on up to ``SPAN`` more.

    With ``is_so_far`` some are of an episode under way and may change; ``action_check`` is ``later`` where it
    is only known after the end, and ``check_label`` is empty without a mismatch.
    ``picture`` is a place in ``pictures``, which holds each hash once; ``next_from`` the next recorded step.
    """
    episode = episodes.episode_get(episode_id)
    first = _number(request.GET.get("from", ""))
    last = first + step_outline.SPAN - 1
    cells = step_outline.outline(episode_id=episode.pk, first=first, last=last)
    pictures: dict[str, int] = {}
    rows = [_row(cell, pictures) for cell in cells]
    return _json(
        {
            **_about(episode),
            "from": first,
            "next_from": steps.step_after(episode_id=episode.pk, index=min(last, step_outline.INDEX_MAX)),
            "fields": FIELDS,
            "steps": rows,
            "is_so_far": any(cell.is_so_far for cell in cells),
            "signs": {kind: CHECKS[kind].sign for kind in MISMATCHES},
            "pictures": list(pictures),
            "milestones": step_outline.milestones_reached(episode) if first == 1 else [],
        }
    )


@lab_page
def episode_find(request: LabRequest, episode_id: int) -> HttpResponse:
    """``steps`` are pairs of a number and the places in that step that hold ``?find``, named by ``words``."""
    episode = episodes.episode_get(episode_id)
    find = step_matches.find_asked(request.GET.get("find"))
    found = step_matches.steps_matching(episode_id=episode.pk, find=find)
    rows = [(one.index, one.places) for one in found.matches]
    return _json({"find": find, "steps": rows, "is_cut": found.is_cut, "words": step_matches.PLACES})


def _about(episode: Episode) -> dict[str, Any]:
    verdict = episode.verdict
    return {
        "episode": episode.pk,
        "status": episode.status,
        "outcome": verdict.outcome if verdict else None,
        "last": steps.last_index(episode_id=episode.pk),
    }


def _row(cell: step_outline.Cell, pictures: dict[str, int]) -> list[Any]:
    picture = pictures.setdefault(cell.screenshot, len(pictures)) if cell.screenshot else None
    return [
        cell.index,
        _fitting(cell.action_type, TYPE_BYTES),
        _fitting(_said(cell.phrase), PHRASE_BYTES),
        cell.result,
        cell.tone,
        None if cell.duration_ms is None else round(cell.duration_ms),
        cell.bar,
        picture,
        int(cell.is_page_change),
        cell.repeats,
        cell.action_check,
        cell.check_label,
    ]


def _said(phrase: Phrase) -> str:
    """What was typed or opened, and where."""
    return " on ".join(part for part in (phrase.what, phrase.where) if part)


def _fitting(text: str, room: int) -> str:
    """The text, or as much of its beginning as has ``room`` bytes of JSON."""
    whole = visible(text)
    lengths = range(room, 0, -1)
    return next((shown for length in lengths if len(_encode(shown := cut(whole, length))) <= room), "")


def _number(given: str) -> int:
    is_number = given.isascii() and given.isdigit() and len(given) <= step_outline.INDEX_DIGITS
    return max(1, int(given)) if is_number else 1


def _json(content: dict[str, Any]) -> HttpResponse:
    return HttpResponse(_encode(content), content_type="application/json")
