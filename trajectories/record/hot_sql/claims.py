"""Submissions: storing them, and claiming them for judging with everything that judging needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import msgspec

from core.sql import Statement, sql_read
from tasks_app import choices as choice_order
from tasks_app import kinds
from trajectories.record.hot_sql.probes import IS_PROBE, TRANSCRIPT

SUBMISSION_CHANNEL = "submission"
TOOL_CALL_CHANNEL = "tool_call"

_encode = msgspec.json.Encoder().encode


def submit_statement(*, may_answer: str = "true", noted: str = "") -> Statement:
    """Return the statement that stores the answer of an episode ``e`` that ``may_answer``.

    ``noted`` is a further part of it, and reads ``given`` (id, answer_check).
    """
    parts = {"channel": SUBMISSION_CHANNEL, "may_answer": may_answer, "noted": noted}
    return Statement(__file__, "submit", is_hot=True, **parts)


SUBMIT = submit_statement()


def submission_write(
    *, episode_id: int, answer: str | list[str], channel: str, number: int = 1
) -> Literal["first", "final"] | None:
    """Store the answer, mark the episode and wake the sweeper: all or nothing.

    ``number`` is 2 for the second answer of an episode. ``first``: it is to be checked, and the episode stays
    open. None when the episode is not open, or waits for the other number.
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
    """A first answer, and the number of the last site event before it."""

    answer: str | list[str]
    site_events: int


class Claim(NamedTuple):
    """A submission to judge, with its gold under the labels that the episode showed. Their texts are in
    ``gold_extra["choices"]``; ``shown`` is what both are made of. ``first`` is what ``answer`` replaced or
    confirmed."""

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
    """Claim a submission; None when it is judged, being judged, or was claimed too often.

    ``worker`` is the key of the lock that the worker holds while it lives.
    """
    row = CLAIM.row(episode=episode_id, claims_max=claims_max, lost=lost_s, worker=worker)
    return None if row is None else claim_read(row)


def claim_read(row: Sequence[Any]) -> Claim:
    """Read a row of ``CLAIM_COLUMNS``. jsonb arrives as text, because Django disables psycopg's loader."""
    claim = Claim(*row)
    claim = claim._replace(
        answer=msgspec.json.decode(str(claim.answer)),
        gold_extra=None if claim.gold_extra is None else msgspec.json.decode(str(claim.gold_extra)),
        shown=None if claim.shown is None else msgspec.json.decode(str(claim.shown)),
        first=None if claim.first is None else FirstGiven(**msgspec.json.decode(str(claim.first))),
    )
    return claim if claim.shown is None else _gold_shown(claim, **claim.shown)


def _gold_shown(claim: Claim, *, choices: list[dict[str, Any]], order: list[int] | None) -> Claim:
    labels = [choice["label"] for choice in choices]
    order = list(range(len(choices))) if order is None else order

    def shown(label: str) -> str:
        return choice_order.label_move(label, labels=labels, order=order)

    texts = {one["label"]: one["text"] for one in choice_order.choices_move(choices, order)}
    extra = {**(claim.gold_extra or {}), "choices": texts}
    if "options" in extra:  # MMMU's rule reads the texts in their order
        extra["options"] = list(texts.values())
    return claim._replace(
        gold_answer=None if claim.gold_answer is None else shown(claim.gold_answer),
        gold_accepted=[shown(label) for label in claim.gold_accepted or ()],
        gold_extra=extra,
    )
