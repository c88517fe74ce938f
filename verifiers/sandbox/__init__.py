"""The sandbox for programs that agents write, which is bubblewrap run by an unprivileged user.

A program and its checker never share a process. The checker asks the program for values over a socket and
compares them in a sandbox of its own, and only the checker can report results.
"""

from __future__ import annotations

from verifiers.sandbox.enclosure import sandbox_problem
from verifiers.sandbox.suites import Report, SandboxMissing, SandboxStalled, Suite, suite_run

__all__ = ["Report", "SandboxMissing", "SandboxStalled", "Suite", "sandbox_problem", "suite_run"]
