"""Metrics of the whole installation, from Postgres, Redis and the disks, read by a single process.

The role ``gym_metrics`` may read counts and times, and its statements are stopped after a second.
"""

from __future__ import annotations

import itertools
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings
from django.core.files.storage import FileSystemStorage, storages
from django.db import connection
from prometheus_client.core import GaugeMetricFamily, Metric

from core.database.sql import Statement
from core.storage import blobs
from core.work import redis_client
from core.work.jobs import queue_lengths
from core.work.queues import QUEUES
from trajectories.record.api import capacity
from trajectories.rollouts.runs.void_rates import VoidRates, void_alarms, void_rates

CLAIM_STATES = ("new", "sent", "claimed")
ALARM_KINDS = ("run", "policy_version", "task")
# Submissions beyond this number are not counted, which bounds the cost; that many are an emergency.
UNJUDGED_MAX = 100_000
UNJUDGED = Statement(__file__, "submissions_unjudged")


def work_gauges() -> Iterator[Metric]:
    """Yield measurements of the judging queue, of the delay of verdicts and of the oldest transactions."""
    rows = {state: (count, age) for state, count, age in UNJUDGED.rows(limit=UNJUDGED_MAX)}
    claims = GaugeMetricFamily(
        "palaestra_claims", "Unjudged submissions: never sent, in a queue, or being judged.", labels=["state"]
    )
    for state in CLAIM_STATES:
        claims.add_metric([state], rows.get(state, (0, 0.0))[0])
    yield claims
    yield GaugeMetricFamily(
        "palaestra_oldest_unjudged_submission_seconds",
        "Age of the oldest submission without a verdict; 0 if there is none.",
        max((age for _, age in rows.values()), default=0.0),
    )
    yield from _latencies()
    yield from _oldest_sessions()


def _latencies() -> Iterator[Metric]:
    latency = GaugeMetricFamily(
        "palaestra_verdict_latency_p95_seconds",
        "Time from submission to verdict, as the 95th percentile of the latest 200 per queue.",
        labels=["queue"],
    )
    for queue, p95_ms in capacity.verdict_p95_ms().items():
        if p95_ms is not None:
            latency.add_metric([queue], p95_ms / 1000)
    yield latency


def _oldest_sessions() -> Iterator[Metric]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM oldest_sessions()")
        ages = cursor.fetchone()
    oldest = GaugeMetricFamily(
        "palaestra_oldest_transaction_seconds",
        "Age of the oldest open transaction, and of the oldest that holds a snapshot.",
        labels=["kind"],
    )
    for kind, age in zip(("transaction", "snapshot"), ages or (), strict=False):
        if age is not None:
            oldest.add_metric([kind], age)
    yield oldest


def void_gauges() -> Iterator[Metric]:
    """Yield the void rates of the latest episodes of all runs, and how many alarms the runs' pages show."""
    rates = void_rates()
    yield GaugeMetricFamily(
        "palaestra_void_share", "Share of voids among the latest 10,000 ended episodes.", rates.total.share
    )
    yield GaugeMetricFamily(
        "palaestra_void_ended", "Number of ended episodes in palaestra_void_share.", rates.total.ended
    )
    voids = GaugeMetricFamily(
        "palaestra_voids", "Void episodes in palaestra_void_share, by reason.", labels=["reason"]
    )
    for reason, rate in rates.by_reason.items():
        voids.add_metric([reason], rate.void)
    yield voids
    withdrawn = GaugeMetricFamily(
        "palaestra_withdrawn", "Cancelled and unused episodes, counted separately.", labels=["reason"]
    )
    for reason, rate in rates.by_withdrawal.items():
        withdrawn.add_metric([reason], rate.void)
    yield withdrawn
    alarms = GaugeMetricFamily(
        "palaestra_void_alarms",
        "Runs, policy versions and tasks with an unusual share of voids, by the run page's rules.",
        labels=["kind"],
    )
    kinds: Counter[str] = Counter(
        alarm.kind
        for run in _by_run(rates)
        for alarm in void_alarms(run, share_max=settings.VOID_ALARM_SHARE)
    )
    for kind in ALARM_KINDS:
        alarms.add_metric([kind], kinds[kind])
    yield alarms


def _by_run(rates: VoidRates) -> Iterator[VoidRates]:
    ordered = sorted(rates.counts, key=lambda count: count.run)
    for _, counts in itertools.groupby(ordered, key=lambda count: count.run):
        yield VoidRates(list(counts))


def queue_gauges() -> Iterator[Metric]:
    """Yield the lengths of the queues. Raises ``GymError`` 503 ``redis_down``."""
    lengths = queue_lengths(*QUEUES)
    if lengths is None:
        raise redis_client.redis_down()
    jobs = GaugeMetricFamily(
        "palaestra_queue_jobs", "Jobs that no worker has taken yet, by queue.", labels=["queue"]
    )
    for queue, length in lengths.items():
        jobs.add_metric([queue.id], length)
    yield jobs


def disk_gauges() -> Iterator[Metric]:
    free = GaugeMetricFamily(
        "palaestra_disk_free_bytes", "Free bytes of the disk with this folder.", labels=["folder"]
    )
    for name, folder in _folders():
        free.add_metric([name], shutil.disk_usage(folder).free)
    yield free


def _folders() -> Iterator[tuple[str, Path]]:
    """Yield the names and paths of folders that exist here; a store that is not in a folder has none."""
    folders = {"var": Path(settings.VAR_DIR)}
    for name in blobs.STORAGES:
        storage = storages[name]
        if isinstance(storage, FileSystemStorage):
            folders[name] = Path(storage.location)
    return ((name, folder) for name, folder in folders.items() if folder.exists())
