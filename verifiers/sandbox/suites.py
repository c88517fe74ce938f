"""Runs a program against its tests; only the checker's report counts."""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.errors import GymError
from verifiers.sandbox import probe, runner
from verifiers.sandbox.limits import PROGRAM_CHARS, Limits
from verifiers.texts import storable

LIMITS = Limits()
LINES = 3  # of a checker: it is there, the asserts, everything


class SandboxMissing(GymError):
    """No sandbox can be had here: nobody's program can be judged."""


@dataclass(frozen=True)
class Suite:
    """``names`` that the program is asked for; ``setup`` and ``asserts`` as Python, run beside it.

    ``pairs`` are calls with the values (in JSON, see ``inside/values.py``) that they must have; ``calls`` are
    evaluated and reported.
    """

    names: Sequence[str]
    setup: str = ""
    asserts: Sequence[str] = ()
    pairs: Sequence[tuple[str, Any]] = ()
    calls: Sequence[str] = ()


@dataclass(frozen=True)
class Report:
    """``passed`` for each assert, then each pair; all False when the program ended or was ended.

    ``asserts`` and ``asserts_detail`` are what stood when the last assert had been tried, before any pair and
    call: what the program does afterwards changes them no more. ``asserts_told`` says of each why it fails;
    it is empty when the program did not get so far. ``values`` has for each call a list: its
    value in JSON, or nothing. ``output`` is what it printed, cut. Postgres can hold every text here, whatever
    the program raised and printed.
    """

    passed: tuple[bool, ...]
    detail: str = ""
    asserts: tuple[bool, ...] = ()
    asserts_detail: str = ""
    asserts_told: tuple[str, ...] = ()
    values: tuple[list[Any], ...] = ()
    output: str = ""
    is_output_cut: bool = False

    @property
    def is_pass(self) -> bool:
        return bool(self.passed) and all(self.passed)


def suite_run(program: str, suite: Suite, *, limits: Limits | None = None, hash_seed: int = 0) -> Report:
    """Run a program in one sandbox and its tests in another.

    Whatever the program does is in the report. Raises ``SandboxMissing`` (``sandbox_missing``) when no
    candidate could be started, twice.
    """
    if len(program) > PROGRAM_CHARS:
        return _ended(suite, "the program is too long")
    nonce = secrets.token_hex(16)
    job = _job(program, suite, nonce=nonce)
    limits = limits or LIMITS
    for _ in range(2):
        ran = _ran(job, limits=limits, hash_seed=hash_seed)
        said = _said(ran.lines, nonce=nonce)
        if said:
            return _report(suite, said[1:], ran)
    raise SandboxMissing("sandbox_missing", probe.sandbox_problem() or "A sandbox did not start in time.")


def _report(suite: Suite, said: list[dict[str, Any]], ran: runner.Ran) -> Report:
    """``said``: what came of the asserts, and what came of everything; less when the program ended before."""
    report = _ended(suite, "out of time" if ran.is_late else "the program broke its tests")
    if said:
        asserts, *_ = said
        told = tuple(map(storable, asserts["details"]))
        report = replace(
            report, asserts=_passed(asserts), asserts_detail=storable(asserts["detail"]), asserts_told=told
        )
    if len(said) > 1:
        whole = said[1]
        values = tuple(whole["values"])
        report = replace(report, passed=_passed(whole), detail=storable(whole["detail"]), values=values)
    output = storable(ran.output.decode(errors="replace"))
    return replace(report, output=output, is_output_cut=ran.is_output_cut)


def _ended(suite: Suite, detail: str) -> Report:
    asserts = tuple(False for _ in suite.asserts)
    passed = asserts + tuple(False for _ in suite.pairs)
    return Report(passed, detail, asserts=asserts, asserts_detail=detail)


def _passed(said: dict[str, Any]) -> tuple[bool, ...]:
    return tuple(item is True for item in said["passed"])


def _job(program: str, suite: Suite, *, nonce: str) -> bytes:
    pairs = [{"call": call, "value": value} for call, value in suite.pairs]
    return json.dumps(
        {
            "nonce": nonce,
            "program": program,
            "names": list(suite.names),
            "setup": suite.setup,
            "tests": list(suite.asserts),
            "pairs": pairs,
            "calls": list(suite.calls),
        }
    ).encode()


def _ran(job: bytes, *, limits: Limits, hash_seed: int) -> runner.Ran:
    try:
        return runner.run_pair(job, limits=limits, hash_seed=hash_seed)
    except OSError as error:
        raise SandboxMissing("sandbox_missing", f"A sandbox cannot be started: {error}") from error


def _said(lines: list[bytes], *, nonce: str) -> list[dict[str, Any]]:
    """The lines that are the checker's own, by the nonce that only it was given."""
    said: list[dict[str, Any]] = []
    for line in lines[:LINES]:
        try:
            record = json.loads(line)
        except ValueError:
            return said
        if isinstance(record, dict) and hmac.compare_digest(str(record.get("nonce")), nonce):
            said.append(record)
    return said
