"""Benchmarks register here: one file of ``tasks_app/benchmarks`` is one benchmark."""

from __future__ import annotations

from gymsite.core.registry import Registry
from tasks_app.types import BenchmarkPlugin

benchmarks: Registry[BenchmarkPlugin] = Registry("benchmark")
