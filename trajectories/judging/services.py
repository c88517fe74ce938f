"""Evidence to verdict: claim, verify in a child or in the sandbox, write once."""

from __future__ import annotations

import logging
import threading
from typing import Any

from django.conf import settings

from trajectories import hot_sql
from trajectories.judging import writing
from trajectories.models import Run
from verifiers import registry
from verifiers.children import ChildPool, VerifierCrash, VerifierTimeout, judge_guarded
from verifiers.sandbox import SandboxMissing
from verifiers.types import Evidence, Gold, Verdict
from verifiers.wire import Job

logger = logging.getLogger(__name__)

CLAIMS_MAX = 3

_writer = writing.VerdictWriter()
_pool: ChildPool | None = None
_pool_lock = threading.Lock()


def children() -> ChildPool:
    """The warm children of this process; the first caller makes the pool."""
    global _pool
    with _pool_lock:
        if _pool is None:
            _pool = ChildPool(settings.VERIFY_CHILDREN)
        return _pool


def submission_judge(*, episode_id: int) -> bool:
    """Give a submission its verdict; False when it is judged already, or another worker is at it.

    Two statements a job: the claim brings everything to judge by, the ending writes verdict, evidence,
    counter and episode together.
    """
    claim = hot_sql.submission_claim(
        episode_id=episode_id, claims_max=CLAIMS_MAX, lost_s=settings.CLAIM_LOST_S
    )
    if claim is None:
        return False
    verdict = ending_of(episode_id=episode_id, claim=claim)
    return _writer.write(run_id=claim.run_id, verdict=verdict)


def ending_of(*, episode_id: int, claim: hot_sql.Claim) -> hot_sql.Ending:
    """The verdict of a claim. Runs of kind train are rewarded by the training verifier; both are recorded."""
    if claim.gold_answer is None:
        return _void(episode_id, "verifier_error", claim, detail="The task has no gold.")
    rewarding = claim.verifier_training if claim.run_kind == Run.Kind.TRAIN else claim.verifier_official
    try:
        opinions = _opinions({rewarding, claim.verifier_official}, claim)
    except (VerifierTimeout, VerifierCrash, SandboxMissing) as failure:
        return _void(episode_id, failure.code, claim, detail=failure.message)
    given, official = opinions[rewarding], opinions[claim.verifier_official]
    return hot_sql.Ending(
        episode=episode_id,
        outcome=_outcome(given),
        reason=given.reason,
        score=given.score,
        metrics=dict(given.metrics),
        verifier=rewarding,
        gold_version=claim.gold_version,
        official={
            "verifier": claim.verifier_official,
            "outcome": _outcome(official),
            "reward": float(official.correct),
        },
        evidence={
            "answer": claim.answer,
            "gold_version": claim.gold_version,
            "verifiers": {name: opinion.as_json() for name, opinion in sorted(opinions.items())},
        },
    )


def _opinions(verifier_ids: set[str], claim: hot_sql.Claim) -> dict[str, Verdict]:
    gold = Gold(
        answer=claim.gold_answer or "",
        accepted=tuple(claim.gold_accepted or ()),
        solution=claim.gold_solution or "",
        extra=claim.gold_extra or {},
    )
    answer = claim.answer if isinstance(claim.answer, str) else tuple(claim.answer)
    evidence = Evidence(answer=answer)
    sandboxed = verifier_ids.intersection(registry.sandboxed())
    found = _in_sandbox(sandboxed, gold=gold, evidence=evidence) if sandboxed else {}
    return found | _in_children([Job(each, gold, evidence) for each in verifier_ids - sandboxed])


def _in_children(jobs: list[Job]) -> dict[str, Verdict]:
    """By one message to a child where there are several verifiers; what fails there is judged by itself."""
    together = children().verify_together(jobs) if len(jobs) > 1 else [None] * len(jobs)
    return {
        job.verifier: verdict
        or judge_guarded(
            children(),
            verifier_id=job.verifier,
            gold=job.gold,
            evidence=job.evidence,
            timeout_s=settings.VERIFIER_TIMEOUT_S,
        )
        for job, verdict in zip(jobs, together, strict=True)
    }


def _in_sandbox(verifier_ids: set[str], *, gold: Gold, evidence: Evidence) -> dict[str, Verdict]:
    """Judge without a child: the sandbox has clocks and walls of its own, and prefork allows no children."""
    try:
        return registry.run_many(verifier_ids, gold=gold, evidence=evidence)
    except SandboxMissing:
        raise
    except Exception as error:
        names = ", ".join(sorted(verifier_ids))
        logger.exception("%s failed outside the sandbox", names)
        raise VerifierCrash("verifier_error", f"{names} failed: {type(error).__name__}") from error


def _outcome(opinion: Verdict) -> str:
    return "correct" if opinion.correct else "incorrect"


def _void(episode_id: int, reason: str, claim: hot_sql.Claim, *, detail: str) -> hot_sql.Ending:
    logger.error("episode %s is void: %s: %s", episode_id, reason, detail)
    evidence: dict[str, Any] = {"answer": claim.answer, "detail": detail}
    return hot_sql.Ending(episode=episode_id, outcome="void", reason=reason, evidence=evidence)
