"""Counters and timers of each process. Labels have few values, and are never ids or untrusted text."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections import Counter as Tally
from collections.abc import Iterable
from itertools import accumulate

from django.db.backends.postgresql.base import DatabaseWrapper
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

disable_created_metrics()  # type: ignore[no-untyped-call]
REGISTRY = CollectorRegistry()
# Upper bounds in seconds: for requests, and for jobs and chores.
REQUEST_BUCKETS = (0.005, 0.02, 0.1, 0.5, 2.0, 10.0)
WORK_BUCKETS = (0.01, 0.05, 0.25, 1.0, 5.0, 30.0, 120.0)
METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
OTHER_METHOD = "other"
ROUTE = "palaestra.route"
"""The key of a WSGI environment under which views leave the URL pattern."""
UNROUTED = "none"
"""The route counted for requests that no view answered: files, refusals and unknown addresses."""
LANE_THREADS = Gauge(
    "palaestra_lane_threads", "Threads of a lane of the web server.", ["lane"], registry=REGISTRY
)
LANE_BUSY = Gauge(
    "palaestra_lane_threads_busy",
    "Threads of a lane that are answering a request.",
    ["lane"],
    registry=REGISTRY,
)
LANE_WAITING = Gauge("palaestra_lane_waiting", "Requests waiting for a thread.", ["lane"], registry=REGISTRY)
LIVE_CLIENTS = Gauge(
    "palaestra_live_clients", "Clients waiting at the live server.", ["kind"], registry=REGISTRY
)
CHORE_SECONDS = Histogram(
    "palaestra_chore_seconds",
    "Duration of a periodic chore.",
    ["chore"],
    buckets=WORK_BUCKETS,
    registry=REGISTRY,
)
CHORE_FAILURES = Counter("palaestra_chore_failures", "Chores that failed.", ["chore"], registry=REGISTRY)
JOB_SECONDS = Histogram(
    "palaestra_job_seconds", "Duration of a worker's job.", ["job"], buckets=WORK_BUCKETS, registry=REGISTRY
)
JOB_FAILURES = Counter("palaestra_job_failures", "Jobs that raised an error.", ["job"], registry=REGISTRY)


class _PoolCollector(Collector):
    """The database connection pool's own statistics."""

    def collect(self) -> Iterable[Metric]:
        for pool in list(DatabaseWrapper._connection_pools.values()):  # type: ignore[attr-defined]
            stats: dict[str, int] = pool.get_stats()
            gauges = {
                "connections": ("Connections that the pool holds.", "pool_size"),
                "idle": ("Connections that are not in use.", "pool_available"),
                "waiting": ("Threads waiting for a connection.", "requests_waiting"),
            }
            for name, (text, key) in gauges.items():
                yield GaugeMetricFamily(f"palaestra_pool_{name}", text, stats.get(key, 0))
            counters = {
                "waits": ("Requests that had to wait for a connection.", stats.get("requests_queued", 0)),
                "wait_seconds": (
                    "Total time that requests waited for a connection.",
                    stats.get("requests_wait_ms", 0) / 1000,
                ),
                "failures": ("Requests that got no connection in time.", stats.get("requests_errors", 0)),
            }
            for name, (text, value) in counters.items():
                yield CounterMetricFamily(f"palaestra_pool_{name}", text, value)


class RequestCounter(Collector):
    """Counter of requests that only one thread may use: a server's event loop.

    The library's own counters are thread-safe; they were measured to take ten times as long per request.
    """

    is_on = True

    def __init__(self) -> None:
        self._requests: Tally[tuple[str, str, int]] = Tally()
        self._seconds: dict[str, list[float]] = {}

    def note(self, *, route: str, method: str, status: int, seconds: float | None = None) -> None:
        """Count a request. ``route`` is a URL pattern, never a path; a long poll has no ``seconds``."""
        if not self.is_on:
            return
        self._requests[route, method if method in METHODS else OTHER_METHOD, status] += 1
        if seconds is None:
            return
        # A count for each bucket, the last of which is unbounded, and then the sum.
        times = self._seconds.get(route)
        if times is None:
            times = self._seconds[route] = [0.0] * (len(REQUEST_BUCKETS) + 2)
        times[bisect_left(REQUEST_BUCKETS, seconds)] += 1
        times[-1] += seconds

    def collect(self) -> Iterable[Metric]:
        requests = CounterMetricFamily(
            "palaestra_requests", "Requests answered.", labels=["route", "method", "status"]
        )
        for (route, method, status), count in list(self._requests.items()):
            requests.add_metric([route, method, str(status)], count)
        yield requests
        seconds = HistogramMetricFamily(
            "palaestra_request_seconds",
            "From the complete request to the response, or to the first block of a stream.",
            labels=["route"],
        )
        limits = [*map(str, REQUEST_BUCKETS), "+Inf"]
        for route, (*counts, total) in list(self._seconds.items()):
            buckets = list(zip(limits, accumulate(counts), strict=True))
            seconds.add_metric([route], buckets, total)
        yield seconds


REQUESTS = RequestCounter()
REGISTRY.register(REQUESTS)
REGISTRY.register(_PoolCollector())
ProcessCollector(registry=REGISTRY, pid=os.getpid)
