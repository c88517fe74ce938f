"""Trajectories as JSON: an episode with everything that happened in it.

Postgres builds the text and this process relays it, so a run of any size streams in constant memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.conf import settings
from django.db import connection, transaction

from core.tokens import TOKEN_LENGTH, token_open
from trajectories import ui_evidence
from trajectories.actions.checks import CHECKS, PUBLISHED_COLUMNS
from trajectories.api.auth import Principal
from trajectories.episodes.services import unknown_episode
from trajectories.episodes.trajectories.milestones import with_milestones
from trajectories.episodes.trajectories.records import EpisodeColumns
from trajectories.hot_sql import VERDICT_JSON
from trajectories.models import Episode, Run

FETCHED_ROWS = 16
TOKEN = re.compile(rf"(?<=/e/)[A-Za-z0-9_-]{{{TOKEN_LENGTH}}}(?![A-Za-z0-9_-])")
MASK = "***"

_COLUMNS = ", ".join(f"'{name}', e.{name}" for name in EpisodeColumns.__struct_fields__)
# The kinds of an action check under their published names.
_PUBLISHED_KIND = " ".join(f"WHEN '{kind}' THEN '{check.published}'" for kind, check in CHECKS.items())
_PUBLISHED_COUNTS = ", ".join(f"'{name}', a.{column}" for column, name in PUBLISHED_COLUMNS.items())
_STEPS = f"""
    SELECT coalesce(json_agg(jsonb_build_object('index', s.index, 'thought', s.thought, 'raw', s.raw,
        'action', s.action, 'action_known', s.action_known, 'action_result', nullif(s.action_result, ''),
        'parse_error', nullif(s.parse_error, ''), 'screenshot', nullif(s.screenshot, ''),
        'url', nullif(s.url, ''),
        'observation', CASE WHEN s.observation_kind <> '' THEN jsonb_build_object('kind', s.observation_kind,
            'text', nullif(s.observation_text, ''), 'sha256', nullif(s.observation_sha256, '')) END,
        'started_at', s.started_at, 'duration_ms', s.duration_ms, 'policy_version', s.policy_version,
        'actor', s.actor, 'recorded_at', s.created_at,
        'said_done', CASE WHEN f.index IS NOT NULL THEN jsonb_build_object(
            'kind', CASE f.action_check {_PUBLISHED_KIND} END, 'detail', f.action_check_detail) END,
        'behaviour', CASE WHEN f.index IS NOT NULL THEN jsonb_build_object(
            'thought_chars', f.thought_chars, 'thought_words', f.thought_words, 'numbers', f.numbers,
            'formulas', f.formulas, 'restates', f.restates, 'repeats', f.repeats,
            'is_page_change', f.is_page_change, 'is_backtrack', f.is_backtrack,
            'checks_before_submit', f.checks_before_submit) END) || s.more ORDER BY s.index), '[]')
    FROM trajectories_step s
    LEFT JOIN trajectories_stepfacts f ON f.episode_id = s.episode_id AND f.index = s.index
    WHERE s.episode_id = e.id"""  # noqa: S608 (a constant)
# Computed after the end; null until then.
_ACTION_CHECK = f"""
    SELECT json_build_object({_PUBLISHED_COUNTS}, 'extras', a.first_unexplained)
    FROM trajectories_episodefacts a WHERE a.episode_id = e.id"""  # noqa: S608 (a constant)
_BEHAVIOUR = """
    SELECT json_build_object('steps', a.steps, 'duration_ms', a.duration_ms, 'action_types', a.action_types,
        'loops', a.loops, 'backtracks', a.backtracks, 'page_changes', a.page_changes, 'checks', a.checks,
        'thought_chars', a.thought_chars, 'thought_words', a.thought_words, 'numbers', a.numbers,
        'formulas', a.formulas, 'restates', a.restates, 'computed_at', a.computed_at)
    FROM trajectories_episodefacts a WHERE a.episode_id = e.id"""
_PAGE_EVENTS = """
    SELECT coalesce(json_agg(json_build_object('page', p.page, 'seq', p.seq, 'step', p.step, 'kind', p.kind,
        'at_ms', p.at_ms, 'data', p.data, 'received_at', p.received_at)
        ORDER BY p.received_at, p.page, p.seq), '[]')
    FROM trajectories_pageevent p WHERE p.episode_id = e.id"""
_SITE_EVENTS = f"""
    WITH {ui_evidence.ACTED}
    SELECT coalesce(json_agg(json_build_object('seq', x.seq, 'step', x.step, 'kind', x.kind, 'data', x.data,
        'no_ui_evidence', {ui_evidence.IS_WITHOUT},
        'created_at', x.created_at) ORDER BY x.seq), '[]')
    FROM trajectories_siteevent x WHERE x.episode_id = e.id"""  # noqa: S608 (a constant)
# Only the output that the page showed is stored: a call holds nothing of the hidden asserts.
_TOOL_CALLS = """
    SELECT coalesce(json_agg(json_build_object('number', c.number, 'tool', c.tool, 'step', c.step,
        'input', c.input,
        'status', CASE WHEN c.status IN ('waiting', 'running')
            AND c.created_at < now() - make_interval(secs => %(call_timeout)s) THEN 'lost' ELSE c.status END,
        'output', nullif(c.output, '{}'), 'created_at', c.created_at, 'finished_at', c.finished_at)
        ORDER BY c.number), '[]')
    FROM trajectories_toolcall c WHERE c.episode_id = e.id"""
_SUBMISSION = """
    SELECT json_build_object('answer', u.answer, 'channel', u.channel, 'received_at', u.received_at)
    FROM trajectories_submission u WHERE u.episode_id = e.id"""
_TASK = """
    json_build_object('id', t.id, 'benchmark', t.benchmark_id, 'split', t.split, 'key', t.key, 'kind', t.kind,
        'prompt', t.prompt, 'payload', t.payload, 'difficulty', t.difficulty, 'tags', t.tags,
        'guess_rate', t.guess_rate, 'gap_eligible', t.gap_eligible)"""
# Input of the milestones, never sent out itself. In an unfinished episode, milestones would tell an agent
# that it is on the right track.
_GOLD = """
    CASE WHEN t.kind = 'site' AND e.status = 'finished' THEN (
        SELECT json_build_object('tags', t.tags, 'answer', g.answer, 'extra', g.extra)::text
        FROM tasks_app_gold g WHERE g.task_id = t.id AND g.is_current)
    END"""
# A gold or a world could be computed from these: only for keys with the scope `golds`.
_WITH_GOLDS = """, 'seed', e.seed, 'evidence', (
    SELECT d.data FROM trajectories_verdictevidence d WHERE d.verdict_id = e.verdict_id)"""


def _trajectories(*, with_golds: bool, where: str, order: str = "e.id") -> str:
    return f"""
SELECT json_build_object({_COLUMNS}, 'run', e.run_id, 'group', e.group_id, 'task', {_TASK},
    'simulated', r.simulated, 'model', r.model, 'arrangement', nullif(e.variation - 'asserts', '{{}}'),
    'close_reason', nullif(e.close_reason, ''), 'close_detail', nullif(e.close_detail, ''),
    'steps', ({_STEPS}), 'page_events', ({_PAGE_EVENTS}), 'site_events', ({_SITE_EVENTS}),
    'tool_calls', ({_TOOL_CALLS}), 'milestones', '[]'::json,
    'submission', ({_SUBMISSION}), 'said_done', ({_ACTION_CHECK}), 'behaviour', ({_BEHAVIOUR}),
    'terminated', coalesce(v.terminated, false), 'truncated', coalesce(v.truncated, false),
    'verdict', CASE WHEN v.id IS NOT NULL THEN {VERDICT_JSON} END{_WITH_GOLDS if with_golds else ""})::text,
    {_GOLD}
FROM trajectories_episode e
JOIN trajectories_run r ON r.id = e.run_id
JOIN tasks_app_task t ON t.id = e.task_id
LEFT JOIN trajectories_verdict v ON v.id = e.verdict_id
WHERE {where} AND (%(splits)s::text[] = '{{}}' OR t.split = ANY(%(splits)s::text[]))
ORDER BY {order}"""  # noqa: S608 (every part is a constant of this module)


def trajectory_text(*, episode_id: int, principal: Principal) -> str:
    """The trajectory as JSON text, or ``GymError`` 404 ``unknown_episode``, also if the key may not see it.

    It has the seed and the verdict's evidence only for keys with the scope ``golds``.
    """
    statement = _trajectories(with_golds=principal.may("golds"), where="e.id = %(id)s")
    with connection.cursor() as cursor:
        cursor.execute(statement, _parameters(episode_id, principal))
        row = cursor.fetchone()
    if row is None:
        raise unknown_episode(episode_id)
    return _text(*row)


def trajectory_lines(*, run: Run, principal: Principal) -> Iterator[bytes]:
    """The trajectories of a run, by episode id, one JSON object per line."""
    statement = _trajectories(with_golds=principal.may("golds"), where="e.run_id = %(id)s")
    return _lines(statement, _parameters(run.pk, principal))


def trajectory_lines_of(*, episode_ids: Sequence[int], principal: Principal) -> Iterator[bytes]:
    """The trajectories of these episodes, newest first, as ``trajectory_lines`` has them."""
    golds = principal.may("golds")
    statement = _trajectories(with_golds=golds, where="e.id = ANY(%(id)s)", order="e.id DESC")
    return _lines(statement, _parameters(list(episode_ids), principal))


def _lines(statement: str, parameters: Mapping[str, Any]) -> Iterator[bytes]:
    # Inside a transaction the cursor streams rows; outside, Postgres would build all of them first.
    with transaction.atomic(), connection.chunked_cursor() as cursor:
        cursor.execute(statement, parameters)
        while rows := cursor.fetchmany(FETCHED_ROWS):
            for row in rows:
                yield _text(*row).encode() + b"\n"


def _text(text: str, gold: str | None) -> str:
    return without_tokens(text if gold is None else with_milestones(text, gold))


def _parameters(ids: int | list[int], principal: Principal) -> dict[str, Any]:
    return {
        "id": ids,
        "splits": sorted(principal.splits),
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
) -> Sequence[int]:
    """Ids of the matching episodes, ascending: up to ``limit``, and one more if there is a next page."""
    filters = {"run": run, "group": group, "status": status}
    filters = {name: value for name, value in filters.items() if value is not None}
    episodes = Episode.objects.filter(pk__gt=after, **filters)
    if principal.splits:
        episodes = episodes.filter(task__split__in=principal.splits)
    return list(episodes.order_by("pk").values_list("pk", flat=True)[: limit + 1])


def without_tokens(text: str) -> str:
    """The text with all episode tokens of this installation masked."""
    return TOKEN.sub(lambda match: _masked(match.group()), text)


def _masked(token: str) -> str:
    return token if token_open(token=token, key=settings.TOKEN_KEY) is None else MASK
