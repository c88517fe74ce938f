"""The SQL that runs for every episode, step and verdict: benchmarked, and one round trip per statement.

Rows are passed as one JSON parameter, which Postgres unpacks faster than psycopg adapts one list per column.
Records are returned as JSON text, so that the live service can relay them unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import msgspec
from django.conf import settings
from django.db import connection, transaction

from core.database.sql import Statement, hot_cursor, sql_read
from core.episodes.outcomes import reward_sql
from palaestra.protocol.arms import PROBE_ARMS
from palaestra.protocol.end_reasons import END_REASONS
from palaestra.protocol.outcomes import INCORRECT, Outcome
from tasks_app import choices as choice_order
from tasks_app import kinds
from trajectories.models.takeover import HOLDS

# The verifier that compares a copied question with the original.
TRANSCRIPT = "transcript-v1"
_ARMS = ", ".join(f"'{arm}'" for arm in PROBE_ARMS)
# Whether the episode `e` is a reading probe, in which the agent copies the question.
IS_PROBE = f"e.arm IN ({_ARMS})"

_encode = msgspec.json.Encoder().encode
SUBMISSION_CHANNEL = "submission"
TOOL_CALL_CHANNEL = "tool_call"
STEP_COLUMNS = (
    "index int, thought text, raw text, action jsonb, action_type text, action_known bool,"
    " action_result text, parse_error text, observation_kind text, observation_text text,"
    " observation_sha256 text, screenshot text, url text, started_at timestamptz, duration_ms float8,"
    " policy_version int, actor text, more jsonb"
)
_NAMES = [column.split()[0] for column in STEP_COLUMNS.split(", ")]
# Columns that have one value for the whole call, and columns that differ by episode, with their types.
CALL_COLUMNS = {"arm": "text", "policy_version": "int", "token_budget": "int", "answer_channel": "text"}
EPISODE_COLUMNS = {
    "id": "bigint",
    "group_id": "bigint",
    "task_id": "bigint",
    "sample_index": "int",
    "seed": "bigint",
    "presentation": "jsonb",
    "presentation_hash": "text",
    "variation": "jsonb",
    "max_steps": "int",
    "recording": "text",
    "virtual_start": "timestamptz",
    "parent_id": "bigint",
    "begins_after": "int",
    "guidance": "jsonb",
    "inherited_events": "int",
    "answer_check": "text",
    "is_taken_over": "boolean",
}


def submit_statement(*, may_answer: str = "true", noted: str = "") -> Statement:
    """Return the statement that stores the answer of an episode ``e`` if ``may_answer`` (SQL) holds.

    ``noted`` is a further part of the statement (SQL), which can read the rows of ``given`` (id,
    answer_check).
    """
    parts = {"channel": SUBMISSION_CHANNEL, "may_answer": may_answer, "noted": noted}
    return Statement(__file__, "submit", is_hot=True, **parts)


SUBMIT = submit_statement()


def submission_write(
    *, episode_id: int, answer: str | list[str], channel: str, number: int = 1
) -> Literal["first", "final"] | None:
    """Store the answer, mark the episode and wake the sweeper, in one statement.

    ``number`` is 2 for a second answer. Returns ``first`` if the answer is to be checked, ``final`` if it is
    to be judged, and None if the episode is not open or expects the other number.
    """
    row = SUBMIT.row(episode=episode_id, answer=_encode(answer).decode(), channel=channel, number=number)
    if row is None:
        return None
    return "first" if row[0] == "requested" else "final"


CLAIM_COLUMNS = sql_read(
    __file__, "claim_columns", is_probe=IS_PROBE, verifier=TRANSCRIPT, choice=kinds.CHOICE
)

CLAIM = Statement(__file__, "claim", is_hot=True, columns=CLAIM_COLUMNS)


class FirstGiven(NamedTuple):
    """A first answer, and the number of the last site event before it (0 if there was none)."""

    answer: str | list[str]
    site_events: int


class Claim(NamedTuple):
    """A submission to judge, with its gold under the choice labels that the episode showed.

    The texts of the choices are in ``gold_extra["choices"]``. ``shown`` has the choices and their order, from
    which labels and texts are computed. ``first`` is the answer that ``answer`` replaced or confirmed."""

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
    shown: dict[str, Any] | None
    task_kind: str
    first: FirstGiven | None


def submission_claim(
    *, episode_id: int, claims_max: int, lost_s: float, worker: int | None = None
) -> Claim | None:
    """Claim a submission. Return None if it is judged, being judged, or was claimed too often.

    ``worker`` is the key of a lock that the worker holds for as long as it lives.
    """
    row = CLAIM.row(episode=episode_id, claims_max=claims_max, lost=lost_s, worker=worker)
    return None if row is None else claim_read(row)


def claim_read(row: Sequence[Any]) -> Claim:
    """Build a claim from a row. jsonb columns arrive as text, because Django disables psycopg's loader."""
    claim = Claim(*row)
    claim = claim._replace(
        answer=msgspec.json.decode(str(claim.answer)),
        gold_extra=None if claim.gold_extra is None else msgspec.json.decode(str(claim.gold_extra)),
        shown=None if claim.shown is None else msgspec.json.decode(str(claim.shown)),
        first=None if claim.first is None else FirstGiven(**msgspec.json.decode(str(claim.first))),
    )
    return claim if claim.shown is None else _move_gold(claim, **claim.shown)


def _move_gold(claim: Claim, *, choices: list[dict[str, Any]], order: list[int] | None) -> Claim:
    labels = [choice["label"] for choice in choices]
    order = list(range(len(choices))) if order is None else order

    def move(label: str) -> str:
        return choice_order.label_move(label, labels=labels, order=order)

    moved = choice_order.choices_move(choices, order)
    texts = {choice["label"]: choice["text"] for choice in moved}
    extra = {**(claim.gold_extra or {}), "choices": texts}
    if "options" in extra:  # MMMU's rule reads the texts in the order shown.
        extra["options"] = list(texts.values())
    return claim._replace(
        gold_answer=None if claim.gold_answer is None else move(claim.gold_answer),
        gold_accepted=[move(label) for label in claim.gold_accepted or ()],
        gold_extra=extra,
    )


SUMS = sql_read(__file__, "sums", is_probe=IS_PROBE)

LOCK = Statement(__file__, "sums_lock")
REPLACE = Statement(__file__, "verdict_replace", sums=SUMS)
CLEAR = Statement(__file__, "sums_clear")
REBUILD = Statement(__file__, "sums_rebuild", sums=SUMS)
ROWS = Statement(__file__, "sums_rows")
WITHDRAW = Statement(__file__, "sums_withdraw", sums=SUMS)
GROUPS = Statement(__file__, "groups_rebuild")


def verdict_replace(*, run_id: int, episode_id: int, verdict_id: int) -> None:
    """Make a stored verdict the episode's current one, and correct the run's sums. Needs a transaction.

    The lock is taken first, so that the statement after it sees every sum and verdict written before.
    """
    LOCK.run(run=run_id)
    REPLACE.run(run=run_id, episode=episode_id, verdict=verdict_id)


def sums_lock(*, run_id: int) -> None:
    """Block new verdicts of the run until the transaction ends."""
    LOCK.run(run=run_id)


def sums_withdraw(*, run_id: int, episode_ids: Sequence[int]) -> None:
    """Subtract ended episodes from the run's sums, as if they had never existed. Needs ``sums_lock``."""
    WITHDRAW.run(run=run_id, episodes=list(episode_ids))


def sums_rebuild(*, run_id: int) -> int:
    """Recompute a run's sums and group positions, and return how many rows were wrong.

    New verdicts of the run are blocked until this is done."""
    with transaction.atomic():
        LOCK.run(run=run_id)
        with connection.cursor() as cursor:
            # The time limit of the database role is meant for single verdicts.
            cursor.execute("SET LOCAL statement_timeout = 0")
        before = set(ROWS.rows(run=run_id))
        CLEAR.run(run=run_id)
        REBUILD.run(run=run_id)
        GROUPS.run(run=run_id)
        return len(set(ROWS.rows(run=run_id)) - before)


class Ending(msgspec.Struct, frozen=True, kw_only=True):
    """A verdict to write. ``reward`` is derived from ``outcome``; ``evidence`` may contain parsed golds."""

    episode: int
    outcome: Outcome
    reason: str
    is_truncated: bool = False
    score: float | None = None
    metrics: dict[str, Any] = {}
    verifier: str = ""
    gold_version: int | None = None
    official: dict[str, Any] | None = None
    evidence: dict[str, Any] | None = None

    @classmethod
    def unjudged(cls, episode: int, reason: str, evidence: dict[str, Any] | None = None) -> Ending:
        """Return an ending that needs no verifier, because its outcome follows from the reason."""
        end = END_REASONS[reason]
        if end.outcome is None:
            raise ValueError(f"{reason!r} needs a verifier's verdict")
        return cls(
            episode=episode,
            outcome=end.outcome,
            reason=reason,
            is_truncated=end.is_truncated,
            evidence=evidence,
        )


FINISH = Statement(__file__, "finish", is_hot=True, sums=SUMS, reward=reward_sql("i.outcome"))
FIRST_ANSWERS_COUNT = Statement(__file__, "first_answers_count", is_hot=True, channel=SUBMISSION_CHANNEL)


def finish_many(
    *,
    run_id: int,
    endings: Iterable[Ending],
    statuses: Sequence[str] = ("open",),
    close_reason: str | None = None,
    close_detail: str = "",
) -> list[int]:
    """Give episodes of one run their verdicts, in one statement. Return the ids that this call ended.

    Only episodes in one of ``statuses`` end; the others already have a verdict or are awaiting theirs. If the
    policy ends an episode after its first answer and before its second, the first answer is submitted
    instead. With ``close_reason`` the episodes are also closed, so that no step is accepted afterwards.
    """
    endings = list(endings)
    rows = FINISH.rows(
        run=run_id,
        endings=_encode(endings).decode(),
        statuses=list(statuses),
        is_closing=close_reason is not None,
        close_reason=close_reason or "",
        close_detail=close_detail,
    )
    ended = [row[0] for row in rows]
    left = {ending.episode for ending in endings if ending.outcome == INCORRECT}.difference(ended)
    if left and "open" in statuses:
        # A separate statement, to see a first answer stored while the one above waited for the episode's row.
        FIRST_ANSWERS_COUNT.run(run=run_id, episodes=sorted(left))
    return ended


VERDICT_JSON = sql_read(__file__, "verdict_json")
UNFINISHED = sql_read(__file__, "unfinished")
EPISODE_STATES = sql_read(__file__, "episode_states", verdict_json=VERDICT_JSON)
VERDICTS_AFTER = sql_read(__file__, "verdicts_after", verdict_json=VERDICT_JSON)


def episode_states(ids: Sequence[int]) -> dict[int, dict[str, Any]]:
    """Return the API's records of episodes, by episode id."""
    with hot_cursor() as cursor:
        cursor.execute(EPISODE_STATES, [list(ids)])
        return {row[0]: msgspec.json.decode(row[2]) for row in cursor.fetchall()}


STEPS_WRITE = Statement(
    __file__,
    "steps_write",
    is_hot=True,
    verdict_json=VERDICT_JSON,
    holds=HOLDS,
    typed_columns=STEP_COLUMNS,
    columns=", ".join(_NAMES),
    values=", ".join(f"i.{name}" for name in _NAMES),
)


class StepsWritten(NamedTuple):
    """The outcome of one ``steps_write``. ``max_steps`` includes the steps that a person took.

    ``held_after`` is the agent's last step while a person has taken over, else None."""

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
    held_after: int | None


def steps_write(
    *,
    episode_id: int,
    steps: Sequence[dict[str, Any]],
    grace_s: float,
    project: str,
    splits: Sequence[str] = (),
) -> StepsWritten | None:
    """Store steps in one statement. Return None if the project has no such episode.

    Nothing is stored when a step clashes with a stored one of different content, when the episode no longer
    accepts steps, when a person took over before one of the steps, or when the task is not in ``splits``
    (those that the key is limited to). A concurrent call may store a step with the same index first. Then the
    counts do not add up, and the statement runs a second time, which sees the other call's row.
    """
    encoded = _encode(steps).decode()
    for _ in range(2):
        row = STEPS_WRITE.row(
            steps=encoded,
            episode=episode_id,
            grace=grace_s,
            idle=settings.TAKEOVER_IDLE_S,
            project=project,
            splits=list(splits),
        )
        if row is None:
            return None
        result = StepsWritten(*row)
        if not result.is_accepting or result.clashes or is_held(result, steps):
            return result
        if result.written + result.duplicates == len(steps):
            return result
    return result


def is_held(result: StepsWritten, steps: Sequence[dict[str, Any]]) -> bool:
    """Return whether a person took over before one of these steps."""
    return result.held_after is not None and any(step["index"] > result.held_after for step in steps)


OPEN = Statement(
    __file__,
    "episodes_open",
    is_hot=True,
    columns=", ".join([*EPISODE_COLUMNS, *CALL_COLUMNS]),
    episode_values=", ".join(f"e.{name}" for name in EPISODE_COLUMNS),
    call_values=", ".join(f"%({name})s::{kind}" for name, kind in CALL_COLUMNS.items()),
    typed_columns=", ".join(f"{name} {kind}" for name, kind in EPISODE_COLUMNS.items()),
)
RESERVE_IDS = Statement(__file__, "reserve_ids", is_hot=True)


def ids_reserve(*, groups: int, episodes: int) -> tuple[list[int], list[int]]:
    """Reserve ids for rows to be inserted, so that the inserted rows need not be matched up afterwards."""
    rows = RESERVE_IDS.rows(groups=groups, episodes=episodes)
    return [row[0] for row in rows if row[1] == 0], [row[0] for row in rows if row[1] == 1]


def episodes_insert(
    *,
    run_id: int,
    settings: Mapping[str, Any],
    call: Mapping[str, Any],
    groups: list[dict[str, Any]],
    episodes: list[dict[str, Any]],
) -> None:
    """Insert groups (none for a refill) and their episodes in one statement.

    ``call`` has the values of ``CALL_COLUMNS``; each of ``episodes`` has those of ``EPISODE_COLUMNS``.
    """
    shared = {
        name: _json(call[name]) if kind == "jsonb" else call[name] for name, kind in CALL_COLUMNS.items()
    }
    OPEN.run(**shared, run=run_id, settings=_json(settings), groups=_json(groups), episodes=_json(episodes))


def _json(value: Any) -> str | None:
    return None if value is None else _encode(value).decode()
