"""The replay of a step: the cleaned events of its page load up to the step's end, and the time to stop at."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

import msgspec

from core.text.toml import toml_load
from palaestra.protocol.outline import PUBLIC_ROOT
from trajectories.behaviour.dom_replay import bounds
from trajectories.behaviour.dom_replay.css import Resolve
from trajectories.behaviour.dom_replay.placement import (
    SLACK_MS,
    Moment,
    Piece,
    Reason,
    Turn,
    find_moment,
    moment_in,
)
from trajectories.behaviour.dom_replay.rrweb import (
    Data,
    Meta,
    NodeType,
    Resize,
    Shown,
    Snapshot,
    Type,
    data_read,
)
from trajectories.behaviour.dom_replay.sanitizer import Cleaner
from trajectories.behaviour.facts.page_actions import PageAction
from trajectories.models import Episode, PageEvent, RecordingChunk, Step
from trajectories.record.capture import chunks
from trajectories.record.capture.chunks import Kind, Limits, Problem

ACTS = ("click", "input", "key", "submit", "scroll")
LOADED = "load"
# At the exact time of a snapshot the replayer still shows the previous state, so it stops this much later.
AFTER_MS = 1
SNAPSHOTS = (Type.FULL_SNAPSHOT, Type.META)
UNKNOWN_SIZE = (1280.0, 720.0)
# Recordings are untrusted, so these limits keep a replay within a few seconds of CPU time.
LIMITS = Limits(size=16 * 1024 * 1024, keys=500_000)
EVENTS_MAX_BYTES = 32 * 1024 * 1024
# The replay of a page action begins this long before its first event.
BEFORE_MS = 1.0
# A page that was only opened is shown this long after its last event, or earlier if another action follows.
REST_MS = 2_000.0
SECOND_MS = 1000


@dataclass(frozen=True, kw_only=True)
class Scene:
    """The replay of a moment.

    ``events`` is a JSON array for rrweb's replayer; ``at_ms`` and ``until_ms`` count from the first event.
    ``size`` is the window's size at ``at_ms``, in CSS pixels; ``refused`` counts unreadable events.
    """

    moment: Moment
    events: bytes
    at_ms: int
    until_ms: int
    size: tuple[int, int]
    href: str
    problems: Sequence[Problem]
    refused: int
    is_capped: bool


@dataclass(frozen=True, kw_only=True)
class NoScene:
    """The reason why a step cannot be replayed.

    Either it has no moment (``Reason``), or its page load has ``no_snapshot``, or the recording up to it is
    ``too_large`` (``LIMITS``).
    """

    reason: Reason | Literal["no_snapshot", "too_large"]
    moment: Moment | None = None
    problems: Sequence[Problem] = ()
    is_capped: bool = False


class TooLarge(Exception):
    """Raised when the recording of a page exceeds the limits of a replay."""


def has_recording(episode: Episode) -> bool:
    if episode.recording != Episode.Recording.FULL:
        return False
    return RecordingChunk.objects.filter(episode_id=episode.pk).exists()


def replay_step(step: Step, *, resolve: Resolve) -> Scene | NoScene:
    """Return the replay of a step; ``resolve`` maps recorded addresses to addresses in the lab."""
    moment = moment_find(step)
    if isinstance(moment, str):
        return NoScene(reason=moment)
    return scene_at(moment, episode_id=step.episode_id, resolve=resolve)


def replay_action(
    action: PageAction, actions: Sequence[PageAction], *, episode_id: int, resolve: Resolve
) -> Scene | NoScene:
    """Return the replay of one of the episode's ``actions``, from just before it until the next one."""
    moment = _action_moment(action, actions, episode_id)
    if isinstance(moment, str):
        return NoScene(reason=moment)
    return scene_at(moment, episode_id=episode_id, resolve=resolve)


def scene_at(moment: Moment, *, episode_id: int, resolve: Resolve) -> Scene | NoScene:
    """Return the replay of a moment, as ``replay_step`` does for a step."""
    is_capped = chunks.is_capped(episode_id=episode_id)
    try:
        shown, problems, refused = _read(episode_id, moment)
        shown = _select_needed(shown, moment)
        if not shown:
            return NoScene(reason="no_snapshot", moment=moment, problems=problems, is_capped=is_capped)
        events = _cleaned(shown, resolve=resolve)
    except TooLarge:
        return NoScene(reason="too_large", moment=moment, is_capped=is_capped)
    first_ms = shown[0].timestamp
    at_ms = _whole(max(moment.at_ms, _snapshot(shown).timestamp) - first_ms)
    width, height = _size(shown, until_ms=first_ms + at_ms)
    return Scene(
        moment=moment,
        events=events,
        at_ms=at_ms,
        until_ms=max(at_ms, _whole(shown[-1].timestamp - first_ms)),
        size=(round(width), round(height)),
        href=_href(shown),
        problems=problems,
        refused=refused,
        is_capped=is_capped,
    )


def moment_find(step: Step) -> Moment | Reason:
    """Find the moment of a step in its episode's recordings, with four queries."""
    pieces = list_pieces(step.episode_id)
    seen = PageEvent.objects.filter(episode_id=step.episode_id)
    acted = set(seen.filter(step=step.index, kind__in=ACTS).values_list("page", flat=True))
    loaded = seen.filter(kind=LOADED).values_list("page", "data__path")
    paths = {page: path for page, path in loaded if isinstance(path, str)}
    return find_moment(_turn(step), pieces, acted_in=acted, paths=paths)


def _action_moment(action: PageAction, actions: Sequence[PageAction], episode_id: int) -> Moment | Reason:
    if action.at_ms is None or action.until_ms is None:
        return "no_time"
    rest_ms = action.until_ms + REST_MS
    following = next((later for later in actions if later.number == action.number + 1), None)
    end_ms = rest_ms
    if following is not None and following.at_ms is not None:
        end_ms = max(action.at_ms, following.at_ms - BEFORE_MS)
    is_opening = action.kind in ("open", "navigate")
    at_ms = min(end_ms, rest_ms) if is_opening else action.at_ms - BEFORE_MS
    return moment_in(action.page, list_pieces(episode_id), at_ms=at_ms, until_ms=end_ms)


def list_pieces(episode_id: int) -> list[Piece]:
    """Return the rows of an episode's recording chunks, without their contents."""
    rows = RecordingChunk.objects.filter(episode_id=episode_id).values_list(*Piece._fields)
    return [Piece(*row) for row in rows]


def _turn(step: Step) -> Turn:
    before = (
        Step.objects.filter(episode_id=step.episode_id, index__lt=step.index)
        .order_by("-index")
        .only("started_at", "duration_ms", "more")
        .first()
    )
    began_ms = _ms(step.started_at)
    seen_ms = _end(before) if before else None
    if seen_ms is None and began_ms is not None:
        seen_ms = began_ms - (_number(step.more, "model_ms") or 0.0)
    if seen_ms is not None and began_ms is not None:
        seen_ms = min(seen_ms, began_ms)
    path = (
        re.split("[?#]", step.url.removeprefix(PUBLIC_ROOT))[0] if step.url.startswith(PUBLIC_ROOT) else None
    )
    return Turn(index=step.index, seen_ms=seen_ms, began_ms=began_ms, ended_ms=_end(step), path=path)


def _end(step: Step) -> float | None:
    """Return the time at which a step's action and the following observation were complete, None if unknown.

    The model's thinking time does not count, because it comes before the step's start.
    """
    began_ms = _ms(step.started_at)
    took_ms = _number(step.more, "env_ms")
    took_ms = step.duration_ms if took_ms is None else took_ms
    return None if began_ms is None or took_ms is None else began_ms + took_ms


def _ms(time: datetime | None) -> float | None:
    return time.timestamp() * 1000 if time else None


def _number(more: Any, name: str) -> float | None:
    value = more.get(name) if isinstance(more, dict) else None
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _read(episode_id: int, moment: Moment) -> tuple[list[Shown], list[Problem], int]:
    """Read the events of the moment's page load, up to the moment's end.

    Returns them with the problems of their chunks and the number of unreadable events. Later chunks are not
    opened unless they hold a snapshot. Raises ``TooLarge`` before decoding anything beyond ``LIMITS``.
    """
    rows = chunks.list_chunks(episode_id=episode_id, page=moment.page)
    needed = [place for place, row in enumerate(rows) if row.first_ms <= moment.until_ms or row.has_snapshot]
    shown: list[Shown] = []
    problems: list[Problem] = []
    refused = 0
    for part in chunks.parts_read(rows[: max(needed, default=0) + 1], limits=LIMITS):
        if isinstance(part, Problem):
            if part.problem == "past_limit":
                raise TooLarge
            problems.append(part)
            continue
        for event in part:
            if event.timestamp > moment.until_ms and event.type not in SNAPSHOTS:
                continue
            try:
                data = data_read(event.type, event.data)
            except (msgspec.DecodeError, RecursionError):
                refused += 1
                continue
            if data is not None:
                shown.append(Shown(Type(event.type), event.timestamp, data))
    shown.sort(key=lambda event: event.timestamp)
    return shown, problems, refused


def _cleaned(shown: Sequence[Shown], *, resolve: Resolve) -> bytes:
    """Return the events as JSON, without anything that runs or fetches. Raises ``TooLarge``."""
    try:
        bounds.size_check(shown)
        cleaner = Cleaner(shown, resolve=resolve)
        for event in shown:
            cleaner.clean(event.data)
        cleaner.finish()
        bounds.references_check(shown)
    except bounds.TooMuch:
        raise TooLarge from None
    events = msgspec.json.encode(shown)
    if len(events) > EVENTS_MAX_BYTES:
        raise TooLarge
    return events


def _whole(offset_ms: float) -> int:
    return math.floor(offset_ms) + AFTER_MS


def _select_needed(shown: Sequence[Shown], moment: Moment) -> list[Shown]:
    """Return the events from the last snapshot before the moment on.

    They follow an event with the window's size. If there is no earlier snapshot, one that is up to
    ``SLACK_MS`` later is used.
    """
    places = [place for place, event in enumerate(shown) if _is_snapshot(event.data)]
    late = [place for place in places if shown[place].timestamp <= moment.at_ms + SLACK_MS]
    by_then = [place for place in places if shown[place].timestamp <= moment.at_ms] or late[:1]
    if not by_then:
        return []
    place = by_then[-1]
    first = shown[place]
    width, height = _size(shown[: place + 1], until_ms=first.timestamp + AFTER_MS)
    opening = Shown(Type.META, first.timestamp, Meta(width=width, height=height, href=_href(shown)))
    last_ms = max(moment.until_ms, first.timestamp)
    return [opening, *(event for event in shown[place:] if event.timestamp <= last_ms)]


def _is_snapshot(data: Data) -> bool:
    return isinstance(data, Snapshot) and data.node.type == NodeType.DOCUMENT


def _snapshot(shown: Sequence[Shown]) -> Shown:
    return next(event for event in shown if _is_snapshot(event.data))


def _href(shown: Sequence[Shown]) -> str:
    return next((event.data.href for event in shown if isinstance(event.data, Meta)), "")


def _size(shown: Sequence[Shown], *, until_ms: float) -> tuple[float, float]:
    sizes = [
        (event.data.width, event.data.height)
        for event in shown
        if isinstance(event.data, (Meta, Resize)) and event.timestamp < until_ms
    ]
    return sizes[-1] if sizes else UNKNOWN_SIZE


_TEXTS = toml_load(Path(__file__).with_name("description.toml"), dict[str, Any])
REASONS: dict[str, str] = _TEXTS["reasons"]
PROBLEMS: dict[Kind, tuple[str, str]] = _TEXTS["problems"]


def losses(scene: Scene | NoScene) -> list[str]:
    """Return sentences about what is missing from the recording, the largest loss first."""
    sentences = _missing(scene.problems)
    if isinstance(scene, Scene) and scene.refused:
        sentences.append(_counted(scene.refused, "1 event cannot be read", "{} events cannot be read"))
    if scene.is_capped:
        sentences.append("the episode's recording reached its limit, and nothing after it was stored")
    return [f"{sentence[0].upper()}{sentence[1:]}." for sentence in sentences]


def moment_facts(moment: Moment) -> list[str]:
    """Return short facts about a moment, to be shown in one line."""
    facts = [f"Page load {moment.number} of {moment.loads}"]
    if moment.before_action_ms is not None:
        facts.append(f"{duration(moment.before_action_ms)} before the action")
    if moment.still_ms >= 1:
        facts.append(f"last change {duration(moment.still_ms)} earlier")
    facts.append("placed by time" if moment.basis == "time" else "placed by step numbers")
    return facts


def duration(ms: float) -> str:
    return f"{ms / SECOND_MS:.1f} s" if ms >= SECOND_MS else f"{ms:.0f} ms"


def _missing(problems: Sequence[Problem]) -> list[str]:
    counts: Counter[Kind] = Counter()
    for problem in problems:
        counts[problem.problem] += problem.last - problem.first + 1
    return [_counted(count, *PROBLEMS[kind]) for kind, count in counts.most_common()]


def _counted(count: int, one: str, many: str) -> str:
    return one if count == 1 else many.format(f"{count:,}")
