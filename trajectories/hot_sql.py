"""The statements that run for every episode, step and verdict, each measured, each one round trip.

Rows go in as one JSON parameter: Postgres unpacks it faster than psycopg adapts a list a column.
Records come out as JSON text, so that live can relay them without building them again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import msgspec
import psycopg
from django.db import connection
from django.db.backends.utils import CursorWrapper

from tasks_app import choices

SUBMISSION_CHANNEL = "submission"
TOOL_CALL_CHANNEL = "tool_call"

_encode = msgspec.json.Encoder().encode

VERDICT_JSON = """
    json_build_object('outcome', v.outcome, 'reward', v.reward, 'reason', v.reason,
        'terminated', v.terminated, 'truncated', v.truncated, 'score', v.score, 'metrics', v.metrics,
        'verifier', nullif(v.verifier, ''), 'official', v.official, 'latency_ms', v.latency_ms)"""

# Parameter: ids. Rows: (id, is_finished, record as JSON text).
EPISODE_STATES = f"""
SELECT e.id, e.status = 'finished', json_build_object(
    'id', e.id, 'run', e.run_id, 'group', e.group_id, 'task', e.task_id, 'arm', e.arm,
    'sample_index', e.sample_index, 'policy_version', e.policy_version, 'status', e.status,
    'steps_used', coalesce((SELECT max(s.index) FROM trajectories_step s WHERE s.episode_id = e.id), 0),
    'max_steps', e.max_steps, 'opened_at', e.opened_at, 'finished_at', e.finished_at,
    'terminated', coalesce(v.terminated, false), 'truncated', coalesce(v.truncated, false),
    'verdict', CASE WHEN v.id IS NOT NULL THEN {VERDICT_JSON} END)::text
FROM trajectories_episode e LEFT JOIN trajectories_verdict v ON v.id = e.verdict_id
WHERE e.id = ANY(%s)"""  # noqa: S608 (the parts are constants of this module)

# Parameters: run, after, limit. Rows: (run_seq, record as JSON text), in the order of commits.
VERDICTS_AFTER = f"""
SELECT v.run_seq,
    json_build_object('episode', v.episode_id, 'group', e.group_id, 'verdict', {VERDICT_JSON})::text
FROM trajectories_verdict v JOIN trajectories_episode e ON e.id = v.episode_id
WHERE v.run_id = %s AND v.run_seq > %s ORDER BY v.run_seq LIMIT %s"""  # noqa: S608

STEP_COLUMNS = (
    "index, thought, raw, action, action_type, action_known, action_result, parse_error,"
    " observation_kind, observation_text, observation_sha256, screenshot, url, started_at, duration_ms,"
    " policy_version, actor, more"
)

# A step is refused after close, and STEP_GRACE_S after the verdict; what is already stored stays a duplicate.
_STEPS_WRITE = f"""
WITH input AS MATERIALIZED (
    SELECT * FROM json_to_recordset(%(steps)s::json) AS i(
        index int, thought text, raw text, action jsonb, action_type text, action_known bool,
        action_result text, parse_error text, observation_kind text, observation_text text,
        observation_sha256 text, screenshot text, url text, started_at timestamptz, duration_ms float8,
        policy_version int, actor text, more jsonb, hash text)
), ep AS (
    SELECT e.id, e.status, e.max_steps, t.split, v.terminated, v.truncated,
        e.closed_at IS NULL AND (e.status <> 'finished' OR e.finished_at > now() - %(grace)s * interval '1 s')
            AS is_accepting,
        CASE WHEN v.id IS NOT NULL THEN {VERDICT_JSON} END AS verdict
    FROM trajectories_episode e JOIN tasks_app_task t ON t.id = e.task_id
    LEFT JOIN trajectories_verdict v ON v.id = e.verdict_id WHERE e.id = %(episode)s
), asked AS MATERIALIZED (
    -- A subquery for each row, not a join: a plan made while the table is small would read all of it.
    SELECT i.index, (SELECT s.content_hash = decode(i.hash, 'hex') FROM trajectories_step s
        WHERE s.episode_id = %(episode)s AND s.index = i.index) AS is_same FROM input i
), known AS (
    SELECT * FROM asked WHERE is_same IS NOT NULL
), written AS (
    INSERT INTO trajectories_step (episode_id, {STEP_COLUMNS}, content_hash, created_at)
    SELECT ep.id, {", ".join("i." + column.strip() for column in STEP_COLUMNS.split(","))},
        decode(i.hash, 'hex'), now()
    FROM input i CROSS JOIN ep
    WHERE ep.is_accepting AND (%(splits)s::text[] = '{{}}' OR ep.split = ANY(%(splits)s::text[]))
        AND NOT EXISTS (SELECT 1 FROM known WHERE NOT is_same)
    ON CONFLICT (episode_id, index) DO NOTHING RETURNING index
)
SELECT ep.status, ep.split, ep.is_accepting, ep.max_steps, (SELECT count(*) FROM written),
    (SELECT count(*) FROM known WHERE is_same),
    ARRAY(SELECT k.index FROM known k WHERE NOT is_same ORDER BY 1),
    greatest((SELECT max(s.index) FROM trajectories_step s WHERE s.episode_id = ep.id),
             (SELECT max(w.index) FROM written w), 0),
    ep.terminated, ep.truncated, ep.verdict::text
FROM ep"""  # noqa: S608


def hot_cursor() -> CursorWrapper:
    """A cursor that binds on the server, so that each statement is planned once a connection.

    Django's own puts the parameters into the text: measured, planning then costs as much as running.
    """
    connection.ensure_connection()
    cursor: Any = psycopg.Cursor(connection.connection)
    if connection.queries_logged:
        return connection.make_debug_cursor(cursor)
    return connection.make_cursor(cursor)


class StepsWritten(NamedTuple):
    """What one call of ``steps_write`` found and did."""

    status: str
    split: str
    is_accepting: bool
    max_steps: int
    written: int
    duplicates: int
    clashes: list[int]
    highest: int
    terminated: bool | None
    truncated: bool | None
    verdict: str | None


def steps_write(
    *, episode_id: int, steps: Sequence[dict[str, Any]], grace_s: float, splits: Sequence[str] = ()
) -> StepsWritten | None:
    """Store steps in one statement; None when there is no such episode.

    Nothing is stored when one of them clashes with a stored step of another content, when the episode no
    longer accepts steps, or when ``splits`` (those the key is limited to) leaves the task out.
    A twin call at the same moment may win an index: the numbers then do not add up, and the statement is
    run again, which sees the twin's row.
    """
    parameters: dict[str, Any] = {
        "steps": _encode(steps).decode(),
        "episode": episode_id,
        "grace": grace_s,
        "splits": list(splits),
    }
    for _ in range(2):
        with hot_cursor() as cursor:
            cursor.execute(_STEPS_WRITE, parameters)
            row = cursor.fetchone()
        if row is None:
            return None
        done = StepsWritten(*row)
        if not done.is_accepting or done.clashes or done.written + done.duplicates == len(steps):
            return done
    return done


_SUBMIT = f"""
WITH ep AS (
    UPDATE trajectories_episode SET status = 'submitted'
    WHERE id = %(episode)s AND status = 'open' RETURNING id
), stored AS (
    INSERT INTO trajectories_submission (episode_id, answer, channel)
    SELECT id, %(answer)s::jsonb, %(channel)s FROM ep RETURNING episode_id
)
SELECT pg_notify('{SUBMISSION_CHANNEL}', episode_id::text) FROM stored"""  # noqa: S608


def submission_write(*, episode_id: int, answer: str | list[str], channel: str) -> bool:
    """Store the answer, mark the episode as waiting and wake the sweeper: all or nothing.

    False when the episode is not open: it was submitted before, or has ended.
    """
    parameters: dict[str, Any] = {
        "episode": episode_id,
        "answer": _encode(answer).decode(),
        "channel": channel,
    }
    with hot_cursor() as cursor:
        cursor.execute(_SUBMIT, parameters)
        return cursor.fetchone() is not None


# What a submission is judged by, in the order of ``Claim``. Where the choices changed places, the labels and
# their order come along; the payload of no other task is read.
CLAIM_COLUMNS = """
    e.run_id, r.kind, s.answer, b.verifier_official, b.verifier_training,
    g.version, g.answer, g.accepted, g.solution, g.extra,
    CASE WHEN e.arrangement->'order' IS NOT NULL THEN jsonb_build_object(
        'labels', jsonb_path_query_array(t.payload, '$.choices[*].label'), 'order', e.arrangement->'order')
    END"""

# One claim at a time; a claim whose worker died counts as lost after `lost` seconds. It need not be on disk
# before the work begins: a claim that a crash forgets is made again.
_CLAIM = f"""
WITH hasty AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
UPDATE trajectories_submission s SET claimed_at = clock_timestamp(), claims = s.claims + 1
FROM hasty, trajectories_episode e
JOIN trajectories_run r ON r.id = e.run_id
JOIN tasks_app_task t ON t.id = e.task_id
JOIN tasks_app_benchmark b ON b.id = t.benchmark_id
LEFT JOIN tasks_app_gold g ON g.task_id = t.id AND g.is_current
WHERE s.episode_id = %(episode)s AND e.id = s.episode_id AND s.judged_at IS NULL AND e.status = 'submitted'
    AND s.claims < %(claims_max)s
    AND (s.claimed_at IS NULL OR s.claimed_at < clock_timestamp() - %(lost)s * interval '1 s')
RETURNING {CLAIM_COLUMNS}"""  # noqa: S608 (the parts are constants of this module)


class Claim(NamedTuple):
    """A submission to judge, with its gold: under the labels that the episode showed."""

    run_id: int
    run_kind: str
    answer: str | list[str]
    verifier_official: str
    verifier_training: str
    gold_version: int | None
    gold_answer: str | None
    gold_accepted: list[str] | None
    gold_solution: str | None
    gold_extra: dict[str, Any] | None
    moved: dict[str, Any] | None


def submission_claim(*, episode_id: int, claims_max: int, lost_s: float) -> Claim | None:
    """Take a submission for judging; None when it is judged, being judged, or was claimed too often."""
    with hot_cursor() as cursor:
        cursor.execute(_CLAIM, {"episode": episode_id, "claims_max": claims_max, "lost": lost_s})
        row = cursor.fetchone()
    return None if row is None else claim_read(row)


def claim_read(row: Sequence[Any]) -> Claim:
    """A row in the order of ``Claim``. jsonb comes as text: Django switches psycopg's own loader off."""
    claim = Claim(*row)
    claim = claim._replace(
        answer=msgspec.json.decode(str(claim.answer)),
        gold_extra=None if claim.gold_extra is None else msgspec.json.decode(str(claim.gold_extra)),
        moved=None if claim.moved is None else msgspec.json.decode(str(claim.moved)),
    )
    return claim if claim.moved is None else _gold_moved(claim, **claim.moved)


def _gold_moved(claim: Claim, *, labels: list[str], order: list[int]) -> Claim:
    def shown(label: str) -> str:
        return choices.label_move(label, labels=labels, order=order)

    return claim._replace(
        gold_answer=None if claim.gold_answer is None else shown(claim.gold_answer),
        gold_accepted=[shown(label) for label in claim.gold_accepted or ()],
    )


class Ending(msgspec.Struct, frozen=True, kw_only=True):
    """A verdict to write. ``reward`` follows from ``outcome``; ``evidence`` may hold parsed golds."""

    episode: int
    outcome: str
    reason: str
    is_truncated: bool = False
    score: float | None = None
    metrics: dict[str, Any] = {}
    verifier: str = ""
    gold_version: int | None = None
    official: dict[str, Any] | None = None
    evidence: dict[str, Any] | None = None


# The counter's row lock is held until commit, so numbers follow commits and the stream has no holes.
_FINISH = """
WITH input AS MATERIALIZED (
    SELECT * FROM json_to_recordset(%(endings)s::json) AS i(
        episode bigint, outcome text, reason text, is_truncated bool, score float8, metrics jsonb,
        verifier text, gold_version int, official jsonb, evidence jsonb)
), target AS MATERIALIZED (
    SELECT e.id FROM trajectories_episode e JOIN input i ON i.episode = e.id
    WHERE e.run_id = %(run)s AND e.status = ANY(%(statuses)s) ORDER BY e.id FOR NO KEY UPDATE OF e
), bump AS (
    UPDATE trajectories_verdictcounter SET count = count + (SELECT count(*) FROM target)
    WHERE run_id = %(run)s AND EXISTS (SELECT 1 FROM target) RETURNING count
), written AS (
    INSERT INTO trajectories_verdict (episode_id, run_id, run_seq, outcome, reward, reason, terminated,
        truncated, score, metrics, verifier, gold_version, official, latency_ms, created_at)
    SELECT i.episode, %(run)s,
        (SELECT count FROM bump) - (SELECT count(*) FROM target) + row_number() OVER (ORDER BY t.id),
        i.outcome, CASE i.outcome WHEN 'correct' THEN 1.0 WHEN 'incorrect' THEN 0.0 END, i.reason,
        i.outcome <> 'void' AND NOT i.is_truncated, i.is_truncated, i.score, i.metrics, i.verifier,
        i.gold_version, i.official, extract(epoch FROM clock_timestamp() - s.received_at) * 1000.0,
        clock_timestamp()
    FROM target t JOIN input i ON i.episode = t.id
    LEFT JOIN trajectories_submission s ON s.episode_id = t.id
    RETURNING id, episode_id
), kept AS (
    INSERT INTO trajectories_verdictevidence (verdict_id, data)
    SELECT w.id, i.evidence FROM written w JOIN input i ON i.episode = w.episode_id
    WHERE i.evidence IS NOT NULL
), judged AS (
    UPDATE trajectories_submission s SET judged_at = clock_timestamp()
    FROM written w WHERE s.episode_id = w.episode_id
)
UPDATE trajectories_episode e SET status = 'finished', finished_at = clock_timestamp(), verdict_id = w.id,
    closed_at = CASE WHEN %(is_closing)s THEN clock_timestamp() ELSE e.closed_at END,
    close_reason = CASE WHEN %(is_closing)s THEN %(close_reason)s ELSE e.close_reason END,
    close_detail = CASE WHEN %(is_closing)s THEN %(close_detail)s ELSE e.close_detail END
FROM written w WHERE e.id = w.episode_id RETURNING e.id"""


def finish_many(
    *,
    run_id: int,
    endings: Iterable[Ending],
    statuses: Sequence[str] = ("open",),
    close_reason: str | None = None,
    close_detail: str = "",
) -> list[int]:
    """Give episodes of one run their verdicts, in one statement; returns the ids that ended by this call.

    Only episodes in one of ``statuses`` end; the others already have, or wait for, a verdict of their own.
    With ``close_reason`` they are also closed: no step is accepted afterwards.
    """
    parameters: dict[str, Any] = {
        "run": run_id,
        "endings": _encode(list(endings)).decode(),
        "statuses": list(statuses),
        "is_closing": close_reason is not None,
        "close_reason": close_reason or "",
        "close_detail": close_detail,
    }
    with hot_cursor() as cursor:
        cursor.execute(_FINISH, parameters)
        return [row[0] for row in cursor.fetchall()]


_OPEN = """
WITH new_groups AS (
    INSERT INTO trajectories_group
        (id, run_id, task_id, arm, policy_version, seed, settings, template, exemplars, created_at)
    SELECT g.id, %(run)s, g.task, %(arm)s, %(policy_version)s, g.seed, %(settings)s::jsonb, g.template,
        g.exemplars, now()
    FROM json_to_recordset(%(groups)s::json)
        AS g(id bigint, task bigint, seed bigint, template text, exemplars bigint[])
)
INSERT INTO trajectories_episode (id, run_id, group_id, task_id, arm, sample_index, policy_version, status,
    seed, presentation, presentation_hash, arrangement, max_steps, token_budget, recording, answer_channel,
    guidance, virtual_start, opened_at, close_reason, close_detail)
SELECT e.id, %(run)s, e.group_id, e.task, %(arm)s, e.sample_index, %(policy_version)s, 'open', e.seed,
    e.presentation, e.presentation_hash, e.arrangement, e.max_steps, %(token_budget)s, %(recording)s,
    %(channel)s, %(guidance)s::jsonb, e.virtual_start, now(), '', ''
FROM json_to_recordset(%(episodes)s::json) AS e(id bigint, group_id bigint, task bigint, sample_index int,
    seed bigint, presentation jsonb, presentation_hash text, arrangement jsonb, max_steps int,
    virtual_start timestamptz)"""

_RESERVE_IDS = """
SELECT nextval('trajectories_group_id_seq'), 0 FROM generate_series(1, %(groups)s)
UNION ALL
SELECT nextval('trajectories_episode_id_seq'), 1 FROM generate_series(1, %(episodes)s)"""


def ids_reserve(*, groups: int, episodes: int) -> tuple[list[int], list[int]]:
    """Ids for rows about to be inserted: whoever knows them first need not match them up afterwards."""
    with hot_cursor() as cursor:
        cursor.execute(_RESERVE_IDS, {"groups": groups, "episodes": episodes})
        rows = cursor.fetchall()
    return [row[0] for row in rows if row[1] == 0], [row[0] for row in rows if row[1] == 1]


def episodes_insert(
    *,
    run_id: int,
    arm: str,
    policy_version: int | None,
    settings: dict[str, Any],
    groups: list[dict[str, Any]],
    episodes: list[dict[str, Any]],
    token_budget: int | None,
    recording: str,
    channel: str,
    guidance: dict[str, Any] | None,
) -> None:
    """Insert groups (none for a refill) and their episodes in one statement."""
    parameters: dict[str, Any] = {
        "run": run_id,
        "arm": arm,
        "policy_version": policy_version,
        "settings": _encode(settings).decode(),
        "groups": _encode(groups).decode(),
        "episodes": _encode(episodes).decode(),
        "token_budget": token_budget,
        "recording": recording,
        "channel": channel,
        "guidance": None if guidance is None else _encode(guidance).decode(),
    }
    with hot_cursor() as cursor:
        cursor.execute(_OPEN, parameters)


def episode_states(ids: Sequence[int]) -> dict[int, dict[str, Any]]:
    """API records of episodes, by id."""
    with hot_cursor() as cursor:
        cursor.execute(EPISODE_STATES, [list(ids)])
        return {row[0]: msgspec.json.decode(row[2]) for row in cursor.fetchall()}
