"""The sandbox for programs that agents write: bubblewrap, run by an unprivileged user.

A program and its checker never share a process: the checker asks the program for values over a socket,
compares them in its own sandbox, and is the only one that can report.
"""

from __future__ import annotations

from verifiers.sandbox.enclosure import sandbox_problem
from verifiers.sandbox.suites import Report, SandboxMissing, SandboxStalled, Suite, suite_run

__all__ = ["Report", "SandboxMissing", "SandboxStalled", "Suite", "sandbox_problem", "suite_run"]
