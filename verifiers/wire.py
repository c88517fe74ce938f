"""Messages to and from a verifier's child process: a list of jobs and a list of replies, both in JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import NamedTuple

import msgspec

from verifiers.types import Evidence, Gold, Verdict, storable

READY = b"ready"
"""A child's first message, sent once it is ready for jobs."""


class Job(NamedTuple):
    """An answer to be judged by a verifier."""

    verifier: str
    gold: Gold
    evidence: Evidence


class Reply(msgspec.Struct, frozen=True):
    """A verdict, or what the verifier raised; ``is_spent`` if the child should not be used again."""

    verdict: Verdict | None = None
    crash: str = ""
    is_spent: bool = False


_encode = msgspec.json.Encoder().encode
_jobs = msgspec.json.Decoder(list[Job])
_replies = msgspec.json.Decoder(list[Reply])


def jobs_encode(jobs: Sequence[Job]) -> bytes:
    """Encode jobs as a message."""
    try:
        return _encode(jobs)
    except UnicodeEncodeError:  # it has a lone surrogate, which only the standard library's JSON can write
        return json.dumps([(job.verifier, asdict(job.gold), asdict(job.evidence)) for job in jobs]).encode()


def jobs_decode(message: bytes) -> list[Job]:
    """Decode a message of jobs."""
    try:
        return _jobs.decode(message)
    except msgspec.DecodeError:
        return msgspec.convert(json.loads(message), list[Job])


def replies_encode(replies: Sequence[Reply]) -> bytes:
    """Encode replies as a message, without lone surrogates, which JSON cannot hold."""
    try:
        return _encode(replies)
    except UnicodeEncodeError:
        return _encode(
            [
                Reply(reply.verdict and reply.verdict.storable(), storable(reply.crash), reply.is_spent)
                for reply in replies
            ]
        )


def replies_decode(message: bytes) -> list[Reply]:
    """Decode replies. Raises ``ValueError`` if the message is anything else."""
    return _replies.decode(message)
