"""`python -m gymsite.services.metrics`: serve the metrics of all processes of a host at ``METRICS_PORT``.

It asks each process at its socket. It reads Postgres, Redis and disks itself and caches the results, so that
they cost the gym the same, however often and by however many servers it is scraped.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotInTime
from functools import partial
from threading import Event, Lock

import django
from django.conf import settings
from django.db import connections
from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from core.telemetry import exposition
from gymsite.services import restarts

logger = logging.getLogger(__name__)

WAIT_S = 2.0
# Older results are dropped, so that a source that hangs looks like a source that is down.
STALE_S = 60.0


class ProcessCollector(Collector):
    """Metrics of the processes, labelled with each process's name and number."""

    def collect(self) -> Iterable[Metric]:
        folder = settings.METRICS_DIR
        slots = exposition.list_slots(folder)
        is_up = GaugeMetricFamily(
            "palaestra_process_up", "Whether the process answers.", labels=["process", "worker"]
        )
        merged: dict[str, Metric] = {}
        with ThreadPoolExecutor(max_workers=max(1, len(slots))) as threads:
            reports = list(threads.map(partial(exposition.read_metrics, folder), slots))
        for slot, report in zip(slots, reports, strict=True):
            labels = {"process": slot.process, "worker": str(slot.number)}
            is_up.add_metric(list(labels.values()), report is not None)
            for family in report or ():
                metric = merged.setdefault(
                    family.name, Metric(family.name, family.documentation, family.type)
                )
                for sample in family.samples:
                    metric.add_sample(sample.name, sample.labels | labels, sample.value)
        yield is_up
        yield from merged.values()


class RestartCollector(Collector):
    def collect(self) -> Iterable[Metric]:
        counts = CounterMetricFamily(
            "palaestra_restarts", "Restarts of a process by the supervisor.", labels=["process"]
        )
        for name, count in restarts.restarts_read(settings.VAR_DIR).items():
            counts.add_metric([name], count)
        yield counts


class SourceCollector(Collector):
    """Metrics from ``read``, which runs in a thread of its own once they are older than ``keep_s``.

    A scrape waits up to ``WAIT_S`` for new metrics and then takes the previous ones. If ``read`` fails, there
    are none.
    """

    def __init__(self, name: str, read: Callable[[], Iterator[Metric]], *, keep_s: float) -> None:
        self._name, self._read, self._keep_s = name, read, keep_s
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)
        self._lock = Lock()
        self._running: Future[None] | None = None
        self._metrics: list[Metric] = []
        self._read_at = float("-inf")

    def collect(self) -> Iterable[Metric]:
        with self._lock:
            if self._running is None and self._age_s() > self._keep_s:
                self._running = self._thread.submit(self._refresh)
            running = self._running
        if running is not None:
            self._wait(running)
        metrics = self._metrics if self._age_s() < max(STALE_S, self._keep_s) else []
        yield GaugeMetricFamily(
            f"palaestra_{self._name}_readable", "Whether this source of metrics can be read.", bool(metrics)
        )
        yield from metrics

    def _wait(self, running: Future[None]) -> None:
        try:
            running.result(WAIT_S)
        except NotInTime:
            return
        with self._lock:
            if self._running is running:
                self._running = None

    def _refresh(self) -> None:
        try:
            self._metrics = list(self._read())
            self._read_at = time.monotonic()
        except Exception:
            logger.exception("%s cannot be read", self._name)
            self._metrics = []
        finally:
            connections.close_all()

    def _age_s(self) -> float:
        return time.monotonic() - self._read_at


def registry_make(sources: Iterable[SourceCollector]) -> CollectorRegistry:
    """Build a registry of the metrics of the processes and of these sources."""
    # Names are not collected in advance, because processes come and go.
    registry = CollectorRegistry(auto_describe=False)
    for collector in (ProcessCollector(), RestartCollector(), *sources):
        registry.register(collector)
    return registry


def sources() -> list[SourceCollector]:
    from trajectories.wiring import gauges

    return [
        SourceCollector("database", gauges.work_gauges, keep_s=5.0),
        SourceCollector("voids", gauges.void_gauges, keep_s=60.0),
        SourceCollector("queues", gauges.queue_gauges, keep_s=2.0),
        SourceCollector("disks", gauges.disk_gauges, keep_s=2.0),
    ]


def main() -> None:
    """Serve metrics until stopped."""
    django.setup(set_prefix=False)
    exposition.expose("metrics")
    start_http_server(settings.METRICS_PORT, addr=settings.METRICS_HOST, registry=registry_make(sources()))
    Event().wait()


if __name__ == "__main__":
    main()
