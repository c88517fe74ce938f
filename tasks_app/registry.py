"""Benchmarks register here: one file of ``tasks_app/benchmarks`` is one benchmark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.registry import Registry

if TYPE_CHECKING:
    from tasks_app.types import BenchmarkPlugin

benchmarks: Registry[BenchmarkPlugin] = Registry("benchmark")
