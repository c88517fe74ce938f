"""The Prometheus metrics of a stage."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

STEP_BUCKETS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Gauges:
    """The metrics of one stage."""

    def __init__(self) -> None:
        registry = self._registry = CollectorRegistry()
        self.sessions = Gauge("palaestra_stage_sessions", "Sessions that are open.", registry=registry)
        self.active = Gauge(
            "palaestra_stage_pages_active", "Pages that play an episode.", ["browser"], registry=registry
        )
        self.slots = Gauge(
            "palaestra_stage_pages_max", "Episodes that may be open at once.", ["browser"], registry=registry
        )
        self.lab = Gauge("palaestra_stage_lab_works", "Whether the lab answers.", registry=registry)
        self.browser = Gauge(
            "palaestra_stage_browser_works", "Whether the browser opens pages.", registry=registry
        )
        self.browsers = Gauge("palaestra_stage_browsers", "Browsers that run.", registry=registry)
        self.memory = Gauge(
            "palaestra_stage_browser_memory_bytes", "Memory of the browsers.", registry=registry
        )
        self.recycled = Gauge(
            "palaestra_stage_browsers_recycled", "Browsers replaced since the start.", registry=registry
        )
        self.steps = Histogram(
            "palaestra_stage_step_seconds", "Duration of steps.", buckets=STEP_BUCKETS_S, registry=registry
        )
        self.episodes = Counter(
            "palaestra_stage_episodes", "Episodes begun or taken over.", ["how"], registry=registry
        )
        self.refused = Counter(
            "palaestra_stage_refused", "Requests refused, by code.", ["code"], registry=registry
        )

    def render(self) -> bytes:
        """Return all metrics in Prometheus's text format."""
        return generate_latest(self._registry)
