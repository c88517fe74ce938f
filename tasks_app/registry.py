"""Registry of benchmarks. Each file in ``tasks_app/benchmarks`` is one benchmark."""

from __future__ import annotations

from dataclasses import replace

from core.registry import Registry
from tasks_app.types import BenchmarkPlugin

benchmarks: Registry[BenchmarkPlugin] = Registry("benchmark")


def benchmark_register(plugin: BenchmarkPlugin) -> None:
    training = plugin.verifier_training or plugin.verifier_official
    benchmarks.register(plugin.id, replace(plugin, verifier_training=training))
