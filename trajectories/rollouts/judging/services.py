"""The path from evidence to verdict: claim, verify in a child process or in the sandbox, write once."""

from __future__ import annotations

import logging
import threading
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from typing import Any, NamedTuple

from django.conf import settings

from palaestra.protocol.outcomes import REWARDS, outcome_of
from tasks_app import kinds
from trajectories.models import Run
from trajectories.record import hot_sql
from trajectories.rollouts.judging import sandbox_sql, site_states, worker_locks
from trajectories.rollouts.live import events
from verifiers import registry
from verifiers.answer_text import unparsable
from verifiers.children import ChildPool, VerifierCrash, VerifierStalled, VerifierTimeout, judge_guarded
from verifiers.sandbox import SandboxMissing, SandboxStalled
from verifiers.types import Evidence, Gold, Verdict, storable
from verifiers.wire import Job

logger = logging.getLogger(__name__)
CLAIMS_MAX = 3
FIRST_CORRECT = "first_answer_correct"
"""The metric that reports whether the answer before the check was right, according to the rewarding verifier.
"""
_pool: ChildPool | None = None
_pool_lock = threading.Lock()


class _Waiting(NamedTuple):
    run_id: int
    verdict: hot_sql.Ending
    is_written: Future[bool]


class VerdictWriter:
    """Writer of verdicts, shared by the threads of one worker.

    The first thread to get the lock writes the verdicts of all that are waiting.
    """

    def __init__(self) -> None:
        self._queue: list[_Waiting] = []
        self._queue_lock = threading.Lock()
        self._writing = threading.Lock()

    def write(self, *, run_id: int, verdict: hot_sql.Ending) -> bool:
        """End a submitted episode. Return False if it had already ended. Raises the database's errors."""
        mine = _Waiting(run_id, verdict, Future())
        with self._queue_lock:
            self._queue.append(mine)
        with self._writing:
            if not mine.is_written.done():
                self._write_all()
        return mine.is_written.result()

    def _write_all(self) -> None:
        with self._queue_lock:
            batch, self._queue = self._queue, []
        by_run: dict[int, list[_Waiting]] = defaultdict(list)
        for waiting in batch:
            by_run[waiting.run_id].append(waiting)
        for run_id, verdicts in by_run.items():
            try:
                _write(run_id, verdicts)
            except Exception:
                logger.exception("%d verdicts could not be written together", len(verdicts))
                _write_singly(run_id, verdicts)


def _write(run_id: int, batch: list[_Waiting]) -> None:
    verdicts = [waiting.verdict for waiting in batch]
    ended = hot_sql.finish_many(run_id=run_id, endings=verdicts, statuses=["submitted"])
    events.episodes_ended(run_id=run_id, ids=ended)
    for waiting in batch:
        waiting.is_written.set_result(waiting.verdict.episode in ended)


def _write_singly(run_id: int, batch: list[_Waiting]) -> None:
    """Write verdicts one at a time, so that one that the database refuses does not fail the others."""
    for waiting in batch:
        try:
            _write(run_id, [waiting])
        except Exception as error:  # noqa: BLE001 (raised again in the thread whose verdict it is)
            waiting.is_written.set_exception(error)


_writer = VerdictWriter()


def children() -> ChildPool:
    """Return this process's pool of warm child processes, which the first caller creates."""
    global _pool
    with _pool_lock:
        if _pool is None:
            _pool = ChildPool(settings.VERIFY_CHILDREN)
        return _pool


class _Request(NamedTuple):
    """The jobs of a claim, and the evidence that is recorded along with their verdicts."""

    jobs: list[Job]
    metrics: dict[str, float]
    evidence: dict[str, Any]
    """Evidence that is recorded but that no verifier reads."""
    first: Job | None = None
    """The job that judges the answer before the check."""

    @property
    def all_jobs(self) -> list[Job]:
        """Return ``jobs`` and the first answer's job, unless that is one of them.

        An answer that was only confirmed is therefore judged once.
        """
        return [*self.jobs, *([self.first] if self.first and self.first not in self.jobs else [])]


def submission_judge(*, episode_id: int) -> bool:
    """Give a submission its verdict. Return False if it has one, or if another worker is judging it.

    This takes two statements per job: the claim reads everything that judging needs, and the ending writes
    verdict, evidence, counter and episode together.
    """
    claim = hot_sql.submission_claim(episode_id=episode_id, **_claim_terms())
    if claim is None:
        return False
    verdict = ending_of(episode_id=episode_id, claim=claim)
    return _writer.write(run_id=claim.run_id, verdict=verdict)


def program_judge(*, episode_id: int) -> bool:
    """Judge as ``submission_judge`` does, in the worker with the sandbox and its role.

    The sweeper announces the verdict.
    """
    claim = sandbox_sql.submission_claim(episode_id=episode_id, **_claim_terms())
    if claim is None:
        return False
    ending = ending_of(episode_id=episode_id, claim=claim)
    return bool(sandbox_sql.submission_finish(run_id=claim.run_id, ending=ending))


def _claim_terms() -> dict[str, Any]:
    """Return the terms of a worker's claims: how often and how long it may claim, and its lock."""
    return {"claims_max": CLAIMS_MAX, "lost_s": settings.CLAIM_LOST_S, "worker": worker_locks.lock_key()}


def ending_of(*, episode_id: int, claim: hot_sql.Claim) -> hot_sql.Ending:
    """Return the verdict on a claim. In training runs the training verifier rewards; both are recorded."""
    (ending,) = endings_of([(episode_id, claim)])
    return ending


def endings_of(claims: Sequence[tuple[int, hot_sql.Claim]]) -> list[hot_sql.Ending]:
    """Return the verdicts on ``(episode, claim)`` pairs, in order. A child gets their jobs in one message."""
    requests = [_request(episode_id, claim) for episode_id, claim in claims]
    jobs = [job for request in requests if isinstance(request, _Request) for job in request.all_jobs]
    verdicts = _verdicts_together(jobs)
    return [
        _ending(episode_id, claim, [(job, next(verdicts)) for job in request.all_jobs], request=request)
        if isinstance(request, _Request)
        else _void(episode_id, request.code, claim, detail=request.message)
        for (episode_id, claim), request in zip(claims, requests, strict=True)
    ]


def _request(episode_id: int, claim: hot_sql.Claim) -> _Request | VerifierCrash:
    """Return the jobs of a claim, or a crash if its state cannot be rebuilt.

    Such a crash is not the agent's fault.
    """
    try:
        if claim.task_kind != kinds.SITE:
            return _Request(_jobs(claim, {}), {}, {}, _first_job(claim, {}))
        result = site_states.left_behind(episode_id=episode_id, claim=claim)
        jobs = _jobs(claim, _state(result.state))
        # If only the state at the first answer cannot be rebuilt, only that answer's metric is lost.
        is_lost = result.state is not None and result.first_state is None
        first = None if is_lost else _first_job(claim, _state(result.first_state))
        return _Request(jobs, result.metrics, {"conditions": result.conditions}, first)
    except Exception as error:
        logger.exception("the state of episode %s cannot be rebuilt", episode_id)
        return VerifierCrash("verifier_error", f"The state cannot be rebuilt: {type(error).__name__}")


def _state(state: dict[str, Any] | None) -> dict[str, Any]:
    """Return the further evidence for a task that is judged by a state; empty for other tasks."""
    return {} if state is None else {"state": state}


def _jobs(claim: hot_sql.Claim, extra: dict[str, Any]) -> list[Job]:
    """Return one job per verifier, or none if the task has no gold. ``extra`` is further evidence."""
    verifier_ids = sorted({_rewarding(claim), claim.verifier_official})
    return _list_jobs(claim, claim.answer, extra, verifier_ids)


def _first_job(claim: hot_sql.Claim, extra: dict[str, Any]) -> Job | None:
    """Return the job that judges the answer before the check with the rewarding verifier.

    Returns None if there is no such answer, or no gold.
    """
    jobs = _list_jobs(claim, claim.first.answer, extra, [_rewarding(claim)]) if claim.first else []
    return jobs[0] if jobs else None


def _list_jobs(
    claim: hot_sql.Claim, answer: str | list[str], extra: dict[str, Any], verifier_ids: Sequence[str]
) -> list[Job]:
    if claim.gold_answer is None:
        return []
    gold = Gold(
        answer=claim.gold_answer,
        accepted=tuple(claim.gold_accepted or ()),
        solution=claim.gold_solution or "",
        extra=claim.gold_extra or {},
    )
    evidence = Evidence(answer=answer if isinstance(answer, str) else tuple(answer), extra=extra)
    return [Job(verifier_id, gold, evidence) for verifier_id in verifier_ids]


def _verdicts_together(jobs: Sequence[Job]) -> Iterator[Verdict | None]:
    """Yield a child's verdict on each job, or None for a job that runs on its own or in the sandbox."""
    for_children = [job for job in jobs if not _is_sandboxed(job)]
    verdicts = iter(children().verify_together(for_children) if len(for_children) > 1 else [])
    for job in jobs:
        yield None if _is_sandboxed(job) else next(verdicts, None)


def _is_sandboxed(job: Job) -> bool:
    return registry.is_sandboxed(job.verifier, dataset=job.gold.extra.get("dataset"))


def _rewarding(claim: hot_sql.Claim) -> str:
    return claim.verifier_training if claim.run_kind == Run.Kind.TRAIN else claim.verifier_official


def _ending(
    episode_id: int,
    claim: hot_sql.Claim,
    verdicts: Sequence[tuple[Job, Verdict | None]],
    *,
    request: _Request,
) -> hot_sql.Ending:
    if claim.gold_answer is None:
        return _void(episode_id, "verifier_error", claim, detail="The task has no gold.")
    own, others = verdicts[: len(request.jobs)], verdicts[len(request.jobs) :]
    try:
        opinions = _opinions(own)
    except VerifierStalled:
        # A machine that stalled must not void an episode: the claim expires, and the job is sent again.
        raise
    except (VerifierTimeout, VerifierCrash, SandboxMissing) as failure:
        return _void(episode_id, failure.code, claim, detail=failure.message)
    rewarding = _rewarding(claim)
    opinion, official = opinions[rewarding], opinions[claim.verifier_official]
    ruling = outcome_of(is_correct=official.correct)
    first = _first_opinion(episode_id, request, opinions, others)
    return hot_sql.Ending(
        episode=episode_id,
        outcome=outcome_of(is_correct=opinion.correct),
        reason=opinion.reason,
        score=opinion.score,
        metrics={
            **opinion.metrics,
            **request.metrics,
            **({FIRST_CORRECT: float(first.correct)} if first else {}),
        },
        verifier=rewarding,
        gold_version=claim.gold_version,
        official={"verifier": claim.verifier_official, "outcome": ruling, "reward": REWARDS[ruling]},
        evidence=_evidence(claim, request, opinions, first),
    )


def _evidence(
    claim: hot_sql.Claim, request: _Request, opinions: Mapping[str, Verdict], first: Verdict | None
) -> dict[str, Any]:
    return {
        "answer": claim.answer,
        "gold_version": claim.gold_version,
        **request.evidence,
        "verifiers": {name: verdict.as_json() for name, verdict in sorted(opinions.items())},
        **({"first": first.as_json()} if first else {}),
    }


def _first_opinion(
    episode_id: int,
    request: _Request,
    opinions: Mapping[str, Verdict],
    others: Sequence[tuple[Job, Verdict | None]],
) -> Verdict | None:
    """Return the rewarding verifier's verdict on the answer before the check, or None if there is none.

    It is also None if that verdict fails, because a metric must not cost an episode its verdict.
    """
    if request.first is None:
        return None
    try:
        return opinions[request.first.verifier] if not others else _opinions(others)[request.first.verifier]
    except (VerifierTimeout, VerifierCrash, VerifierStalled, SandboxMissing) as failure:
        logger.warning("the first answer of episode %s could not be judged: %s", episode_id, failure.message)
        return None


def _opinions(verdicts: Sequence[tuple[Job, Verdict | None]]) -> dict[str, Verdict]:
    sandboxed = [job for job, _ in verdicts if _is_sandboxed(job)]
    opinions = _in_sandbox(sandboxed) if sandboxed else {}
    for job, verdict in verdicts:
        if job.verifier not in opinions:
            opinions[job.verifier] = verdict or judge_guarded(
                children(),
                verifier_id=job.verifier,
                gold=job.gold,
                evidence=job.evidence,
                timeout_s=settings.VERIFIER_TIMEOUT_S,
            )
    return opinions


def _in_sandbox(jobs: Sequence[Job]) -> dict[str, Verdict]:
    """Judge without a child process.

    The sandbox isolates by itself, and prefork workers may not have children. Failures are attributed by the
    same rule as in ``judge_guarded``. Raises ``VerifierCrash``, ``VerifierStalled`` and ``SandboxMissing``.
    """
    verifier_ids, gold = [job.verifier for job in jobs], jobs[0].gold
    try:
        return _run_many(verifier_ids, gold=gold, evidence=jobs[0].evidence)
    except VerifierCrash:
        proofs = _run_many(verifier_ids, gold=gold, evidence=gold.as_evidence())
        if not all(proof.correct for proof in proofs.values()):
            raise
        return {name: unparsable(gold=proof.parsed_gold) for name, proof in proofs.items()}


def _run_many(verifier_ids: Sequence[str], *, gold: Gold, evidence: Evidence) -> dict[str, Verdict]:
    try:
        return registry.run_many(verifier_ids, gold=gold, evidence=evidence)
    except SandboxMissing:
        raise
    except SandboxStalled as failure:
        raise VerifierStalled(failure.code, failure.message) from failure
    except Exception as error:
        names = ", ".join(verifier_ids)
        logger.exception("%s failed outside the sandbox", names)
        raise VerifierCrash("verifier_error", f"{names} failed: {type(error).__name__}") from error


def _void(episode_id: int, reason: str, claim: hot_sql.Claim, *, detail: str) -> hot_sql.Ending:
    logger.error("episode %s is void: %s: %s", episode_id, reason, detail)
    evidence: dict[str, Any] = {"answer": claim.answer, "detail": storable(detail)}
    return hot_sql.Ending.unjudged(episode_id, reason, evidence)
