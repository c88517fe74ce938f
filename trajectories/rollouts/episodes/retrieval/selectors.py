"""Trajectories as JSON: an episode with everything that happened in it.

Postgres builds the text and this process relays it, so a run of any size streams in constant memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache
from itertools import chain
from typing import Any

import msgspec
from django.conf import settings
from django.db import connection
from django.db.models import QuerySet
from msgspec import Struct
from msgspec.json import encode

from core.database.sql import sql_read
from core.episodes.tokens import TOKEN_LENGTH, token_open
from palaestra.protocol.arms import ARMS
from tasks_app.families import milestones
from trajectories.actions.checks import CHECKS, PUBLISHED_COLUMNS
from trajectories.behaviour import ui_evidence
from trajectories.behaviour.facts.page_actions import EVENT_COLUMNS, SeenEvent, derive_page_actions
from trajectories.models import Episode, Run
from trajectories.models.origins import Origin, is_of
from trajectories.record import projects
from trajectories.record.api.auth import Principal
from trajectories.record.hot_sql import VERDICT_JSON
from trajectories.record.prompts.conversation import Message
from trajectories.rewards.profiles.store import Named
from trajectories.rewards.selectors import Rewards, rewards_of
from trajectories.rollouts.episodes.conversations import read_inherited_messages
from trajectories.rollouts.episodes.interventions.messages import prefill_message
from trajectories.rollouts.episodes.opening_messages import opening_messages
from trajectories.rollouts.episodes.retrieval import records
from trajectories.rollouts.episodes.services import unknown_episode

VALUE = 1.0
# Parts stay undecoded until needed, because page events and observations make up most of a trajectory.
_STEPS = msgspec.json.Decoder(list[msgspec.Raw])
# Postgres writes the list with these spaces. The rest of the text is parsed only if this occurs in it.
_NO_STEPS = '"steps" : []'
_PARTS = msgspec.json.Decoder(dict[str, msgspec.Raw])
FETCHED_ROWS = 16
BATCH_IDS = 1_000
TOKEN = re.compile(rf"(?<=/e/)[A-Za-z0-9_-]{{{TOKEN_LENGTH}}}(?![A-Za-z0-9_-])")
MASK = "***"
# Every part of the SQL below is a constant from our own code.
_OBSERVATION = """CASE WHEN s.observation_kind <> '' THEN jsonb_build_object('kind', s.observation_kind,
    'text', nullif(s.observation_text, ''), 'sha256', nullif(s.observation_sha256, '')) END"""
_KINDS = " ".join(f"WHEN '{kind}' THEN '{check.published}'" for kind, check in CHECKS.items())
# A gold or a world could be computed from these fields, so only keys with the scope `golds` read them.
_WITH_GOLDS = """, 'seed', e.seed, 'evidence', (
    SELECT d.data FROM trajectories_verdictevidence d WHERE d.verdict_id = e.verdict_id))"""
# The trajectory's own key, as Postgres writes it. Nothing else in the text matches, because steps are encoded
# differently and quotes inside texts are escaped.
_REWARDS = '"rewards" : '
_NO_REWARDS = f"{_REWARDS}null"


class _Numbered(msgspec.Struct):
    """The number of a step, which is the only part of most steps that must be read."""

    index: int


_NUMBERED = msgspec.json.Decoder(_Numbered)


def with_milestones(text: str, gold: str) -> str:
    """Add the milestones to a trajectory, and to the ``rewards`` of the steps that first reached them.

    ``gold`` is JSON of ``{tags, answer, extra}`` of the trajectory's task.
    """
    parts: dict[str, Any] = _PARTS.decode(text)
    reached = _reached(parts, msgspec.json.decode(gold))
    if not reached:
        return text
    parts["milestones"] = [
        {"name": one.name, "seq": one.event and one.event.seq, "step": one.event and one.event.step}
        for one in reached
    ]
    parts["steps"] = [_add_rewards(step, reached) for step in _STEPS.decode(parts["steps"])]
    return msgspec.json.encode(parts).decode()


def _add_rewards(step: msgspec.Raw, reached: list[milestones.Reached]) -> msgspec.Raw | dict[str, Any]:
    """Return the step with the milestones that it was the first to reach, or unchanged if there are none."""
    index = _NUMBERED.decode(step).index
    marks = {
        f"{milestones.MARK}{one.name}": VALUE for one in reached if one.event and one.event.step == index
    }
    if not marks:
        return step
    whole: dict[str, Any] = msgspec.json.decode(step)
    return {**whole, "rewards": {**(whole.get("rewards") or {}), **marks}}


def _reached(parts: Mapping[str, msgspec.Raw], gold: Mapping[str, Any]) -> list[milestones.Reached]:
    if not ARMS[msgspec.json.decode(parts["arm"])].has_page or gold["answer"] is None:
        return []
    facts = milestones.gold_facts(answer=gold["answer"], extra=gold["extra"] or {})
    events = milestones.parse_events(msgspec.json.decode(parts["site_events"]))
    return milestones.reached(milestones.find_by_tags(gold["tags"]), facts, events)


class _Event(msgspec.Struct):
    page: str
    seq: int
    step: int | None
    kind: str
    at_ms: float
    data: Any
    received_at: datetime


_EVENTS = msgspec.json.Decoder(list[_Event])


def with_page_actions(text: str) -> str:
    """Add page actions to an episode without steps. They are derived on reading and stored nowhere."""
    if _NO_STEPS not in text:
        return text
    parts: dict[str, Any] = _PARTS.decode(text)
    if bytes(parts["steps"]) != b"[]":
        return text
    events = _EVENTS.decode(parts["page_events"])
    actions = derive_page_actions(
        SeenEvent.read(*(getattr(event, name) for name in EVENT_COLUMNS))
        for event in events
        if event.step is None
    )
    if not actions:
        return text
    return msgspec.json.encode(parts | {"page_actions": actions}).decode()


def _object(record: type[Struct], alias: str, *, build: str = "json_build_object", **sql: str) -> str:
    """Return the SQL of a record.

    Each field is the column of that name of ``alias``, unless ``sql`` has an expression for it.
    """
    pairs = (f"'{name}', {sql.get(name, f'{alias}.{name}')}" for name in record.__struct_fields__)
    return f"{build}({', '.join(pairs)})"


def _list(record: str, *, rows: str, order: str, before: str = "") -> str:
    """Return the SQL that lists an episode's records from a table; ``rows`` is the table with its alias."""
    alias = rows.split()[1]
    return (
        f"({before}SELECT coalesce(json_agg({record} ORDER BY {order}), '[]') FROM {rows}"  # noqa: S608
        f" WHERE {alias}.episode_id = e.id)"
    )


def _one(record: str, *, row: str) -> str:
    """Return the SQL for an episode's only record in a table; it yields null if there is none."""
    return f"(SELECT {record} FROM {row} WHERE {row.split()[1]}.episode_id = e.id)"  # noqa: S608


def _text_or_null(*names: str, alias: str) -> dict[str, str]:
    return {name: f"nullif({alias}.{name}, '')" for name in names}


_STEP = _object(
    records.StepRecord,
    "s",
    build="jsonb_build_object",
    **_text_or_null("action_result", "parse_error", "screenshot", "segment", "url", alias="s"),
    result_message="s.more->>'result_message'",
    observation=_OBSERVATION,
    recorded_at="s.created_at",
    said_done=f"""CASE WHEN f.index IS NOT NULL THEN jsonb_build_object(
        'kind', CASE f.action_check {_KINDS} END, 'detail', f.action_check_detail) END""",
    behaviour=f"CASE WHEN f.index IS NOT NULL THEN {_object(records.StepBehaviour, 'f')}::jsonb END",
)
# Only the output that the page showed is stored, so a call contains nothing of the hidden asserts.
_TOOL_CALL = _object(
    records.ToolCallRecord,
    "c",
    status="""CASE WHEN c.status IN ('waiting', 'running')
        AND c.created_at < now() - make_interval(secs => %(call_timeout)s) THEN 'lost' ELSE c.status END""",
    output="nullif(c.output, '{}')",
)
_ACTION_CHECK = _object(
    records.SaidDoneRecord,
    "a",
    **{name: f"a.{column}" for column, name in PUBLISHED_COLUMNS.items()},
    extras="a.first_unexplained",
)
_TRAJECTORY = _object(
    records.Trajectory,
    "e",
    run="e.run_id",
    group="e.group_id",
    parent="e.parent_id",
    intervention="(SELECT i.id FROM trajectories_intervention i WHERE i.group_id = e.group_id)",
    task=_object(records.TaskOfEpisode, "t", benchmark="t.benchmark_id"),
    simulated="r.simulated",
    model="r.model",
    arrangement="nullif(e.variation - 'asserts', '{}')",
    **_text_or_null("close_reason", "close_detail", alias="e"),
    steps=_list(
        f"{_STEP} || s.more",
        rows="trajectories_step s LEFT JOIN trajectories_stepfacts f USING (episode_id, index)",
        order="s.index",
    ),
    page_events=_list(
        _object(records.PageEventRecord, "p", source="'page'"),
        rows="trajectories_pageevent p",
        order="p.received_at, p.page, p.seq",
    ),
    site_events=_list(
        _object(records.SiteEventRecord, "x", source="'server'", no_ui_evidence=ui_evidence.IS_WITHOUT),
        rows="trajectories_siteevent x",
        order="x.seq",
        before=f"WITH {ui_evidence.ACTED} ",
    ),
    tool_calls=_list(_TOOL_CALL, rows="trajectories_toolcall c", order="c.number"),
    page_actions="'[]'::json",
    milestones="'[]'::json",
    rewards="NULL::json",
    answer_check="nullif(e.answer_check, '')",
    first_answer=_one(_object(records.SubmissionRecord, "f"), row="trajectories_firstanswer f"),
    submission=_one(_object(records.SubmissionRecord, "u"), row="trajectories_submission u"),
    said_done=_one(_ACTION_CHECK, row="trajectories_episodefacts a"),
    behaviour=_one(_object(records.BehaviourRecord, "a"), row="trajectories_episodefacts a"),
    terminated="coalesce(v.terminated, false)",
    truncated="coalesce(v.truncated, false)",
    verdict=f"CASE WHEN v.id IS NOT NULL THEN {VERDICT_JSON} END",
)


@cache
def _trajectories(*, with_golds: bool, order: str) -> str:
    trajectory = f"{_TRAJECTORY[:-1]}{_WITH_GOLDS}" if with_golds else _TRAJECTORY
    return sql_read(__file__, "trajectories", trajectory=trajectory, order=order)


def episode_messages(episode_id: int, *, with_solutions: bool, with_guidance: bool) -> list[Message]:
    """Return the messages that opened an existing episode.

    A fork also has the messages sent before it begins. A continuation of an intervention also has the
    beginning of the message that it continues."""
    episode = Episode.objects.select_related("group__intervention", "task", "run").get(pk=episode_id)
    messages = opening_messages(episode, with_solutions=with_solutions, with_guidance=with_guidance)
    if episode.parent_id is not None:
        messages += [{**message, "copied": True} for message in read_inherited_messages(episode)]
    if hasattr(episode.group, "intervention"):
        messages.append(prefill_message(episode.group.intervention))
    return messages


def trajectory_text(*, episode_id: int, principal: Principal, named: Named | None = None) -> str:
    """Return the trajectory as JSON text.

    It contains the seed and the verdict's evidence only for keys with the scope ``golds``, and rewards by the
    ``named`` profile. Raises ``GymError`` 404 ``unknown_episode``, also if the key may not see the episode.
    """
    texts = _texts([episode_id], order="e.id", principal=principal, named=named)
    if not texts:
        raise unknown_episode(episode_id)
    return texts[0]


def trajectory_lines(*, run: Run, principal: Principal, named: Named | None = None) -> Iterator[bytes]:
    """Yield the trajectories of the episodes that a run has now, by episode id, one JSON object per line.

    They contain rewards by the ``named`` profile. Each statement is a transaction of its own, so that a
    reader who takes an hour does not hold back vacuum.
    """
    episodes = Episode.objects.filter(run=run).order_by("-pk")
    last = episodes.values_list("pk", flat=True).first() or 0
    return chain.from_iterable(
        _lines(ids, order="e.id", principal=principal, named=named) for ids in _batches(episodes, last=last)
    )


def write_trajectory_lines(*, episode_ids: Sequence[int], principal: Principal) -> Iterator[bytes]:
    """Yield the trajectories of these episodes, newest first, one JSON object per line."""
    return _lines(sorted(episode_ids, reverse=True), order="e.id DESC", principal=principal)


def _batches(episodes: QuerySet[Episode], *, last: int) -> Iterator[list[int]]:
    """Yield ascending ids up to ``last`` in batches, each id once, including all that exist at the start."""
    after = 0
    while after < last:
        batch = episodes.filter(pk__gt=after, pk__lte=last).order_by("pk")
        ids = list(batch.values_list("pk", flat=True)[:BATCH_IDS])
        yield ids
        after = ids[-1] if ids else last


def _lines(
    ids: Sequence[int], *, order: str, principal: Principal, named: Named | None = None
) -> Iterator[bytes]:
    """Yield lines, reading a few episodes at a time: no statement is open while a line is consumed."""
    for first in range(0, len(ids), FETCHED_ROWS):
        batch = ids[first : first + FETCHED_ROWS]
        for text in _texts(batch, order=order, principal=principal, named=named):
            yield text.encode() + b"\n"


def _texts(ids: Sequence[int], *, order: str, principal: Principal, named: Named | None) -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(
            _trajectories(with_golds=principal.may("golds"), order=order), _parameters(ids, principal)
        )
        rows = cursor.fetchall()
    paid = rewards_of([row[0] for row in rows], named=named) if named else {}
    return [_text(text, gold, paid.get(episode)) for episode, text, gold in rows]


def _text(text: str, gold: str | None, rewards: Rewards | None) -> str:
    if rewards is not None:
        text = text.replace(_NO_REWARDS, _REWARDS + encode(rewards).decode(), 1)
    text = with_page_actions(text)
    return without_tokens(text if gold is None else with_milestones(text, gold))


def _parameters(ids: Sequence[int], principal: Principal) -> dict[str, Any]:
    return {
        "ids": list(ids),
        "splits": sorted(principal.splits),
        "project": principal.project,
        "call_timeout": settings.TOOL_CALL_TIMEOUT_S,
        **ui_evidence.parameters(has_answer=True),
    }


def episode_ids(
    *,
    principal: Principal,
    after: int,
    limit: int,
    run: int | None = None,
    group: int | None = None,
    status: str | None = None,
    origin: str | None = None,
) -> Sequence[int]:
    """Return the ids of matching episodes, ascending: up to ``limit``, plus one if there is a next page."""
    filters = {"run": run, "group": group, "status": status}
    filters = {name: value for name, value in filters.items() if value is not None}
    condition = is_of([origin] if origin else Origin.values)
    episodes = projects.visible(Episode.objects.filter(condition, pk__gt=after, **filters), principal)
    return list(episodes.order_by("pk").values_list("pk", flat=True)[: limit + 1])


def without_tokens(text: str) -> str:
    """Mask all episode tokens of this installation in a text."""

    def masked(match: re.Match[str]) -> str:
        is_token = token_open(token=match[0], key=settings.TOKEN_KEY) is not None
        return MASK if is_token else match[0]

    return TOKEN.sub(masked, text)
