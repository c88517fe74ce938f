"""Runs of a program against its tests, in which only the checker's report counts."""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from core.errors import GymError
from verifiers.sandbox import enclosure, runner
from verifiers.sandbox.limits import PROGRAM_CHARS, Limits
from verifiers.types import storable

LIMITS = Limits()
LINES = 3  # lines from a checker: ready, after the asserts, at the end


class SandboxMissing(GymError):
    """No sandbox works on this machine, so no program can be judged."""


class SandboxStalled(GymError):
    """The machine kept a program waiting until its wall-clock limit stopped it, so its result is unknown."""


@dataclass(frozen=True)
class Suite:
    """Tests of a program: ``names`` come from the program, ``setup`` and ``asserts`` run outside its process.

    ``pairs`` are calls with their expected values (in JSON, see ``inside/values.py``); ``calls`` are
    evaluated and their values reported.
    """

    names: Sequence[str]
    setup: str = ""
    asserts: Sequence[str] = ()
    pairs: Sequence[tuple[str, Any]] = ()
    calls: Sequence[str] = ()


@dataclass(frozen=True)
class Report:
    """Results of a program's tests.

    ``passed`` covers each assert and then each pair; all are False if the program exited or was killed.
    ``asserts`` and ``asserts_detail`` are the results after the last assert, before any pair or call, and
    nothing that the program does later changes them. ``assert_reasons`` gives each assert's reason for
    failing; it is empty if the program did not get that far. ``values`` has a list per call, which holds its
    value in JSON or is empty. ``output`` is what the program printed, truncated. ``own_s`` is the program's
    own time in seconds. Postgres can store every text in the report.
    """

    passed: tuple[bool, ...]
    detail: str = ""
    asserts: tuple[bool, ...] = ()
    asserts_detail: str = ""
    assert_reasons: tuple[str, ...] = ()
    values: tuple[list[Any], ...] = ()
    output: str = ""
    is_output_cut: bool = False
    own_s: float = 0.0

    @property
    def is_pass(self) -> bool:
        return bool(self.passed) and all(self.passed)


def suite_run(program: str, suite: Suite, *, limits: Limits | None = None, hash_seed: int = 0) -> Report:
    """Run a program in one sandbox and its tests in another.

    The report covers whatever the program does. Raises ``SandboxMissing`` (``sandbox_missing``) if two
    attempts to start a candidate fail, and ``SandboxStalled`` (``verifier_timeout``).
    """
    if len(program) > PROGRAM_CHARS:
        return _report_ended(suite, "the program is too long")
    nonce = secrets.token_hex(16)
    job = json.dumps({"nonce": nonce, "program": program, **asdict(suite)}).encode()
    limits = limits or LIMITS
    for _ in range(2):
        try:
            ran = runner.run_pair(job, limits=limits, hash_seed=hash_seed)
        except OSError as error:
            raise SandboxMissing("sandbox_missing", f"A sandbox cannot be started: {error}") from error
        records = _records(ran.lines, nonce=nonce)
        if records and ran.is_held_up:
            raise SandboxStalled(
                "verifier_timeout", f"The machine held a program up for {limits.wall_s:g} s."
            )
        if records:
            return _report(suite, records[1:], ran)
    raise SandboxMissing("sandbox_missing", enclosure.sandbox_problem() or "A sandbox did not start in time.")


def _report(suite: Suite, records: list[dict[str, Any]], ran: runner.PairRun) -> Report:
    """Build the report from the checker's two records, after the asserts and at the end.

    There are fewer records if the run ended early.
    """
    report = _report_ended(suite, ran.stop or "the program broke its tests")
    if records:
        asserts = records[0]
        report = replace(
            report,
            asserts=_read_passed(asserts),
            asserts_detail=storable(asserts["detail"]),
            assert_reasons=tuple(map(storable, asserts["details"])),
        )
    if len(records) > 1:
        whole = records[1]
        values = tuple(whole["values"])
        report = replace(report, passed=_read_passed(whole), detail=storable(whole["detail"]), values=values)
    output = storable(ran.output.decode(errors="replace"))
    return replace(report, output=output, is_output_cut=ran.is_output_cut, own_s=ran.own_s)


def _report_ended(suite: Suite, detail: str) -> Report:
    asserts = (False,) * len(suite.asserts)
    return Report(asserts + (False,) * len(suite.pairs), detail, asserts=asserts, asserts_detail=detail)


def _read_passed(record: dict[str, Any]) -> tuple[bool, ...]:
    return tuple(item is True for item in record["passed"])


def _records(lines: list[bytes], *, nonce: str) -> list[dict[str, Any]]:
    """Return the lines that the checker wrote, recognised by a nonce that only the checker knows."""
    records: list[dict[str, Any]] = []
    for line in lines[:LINES]:
        try:
            record = json.loads(line)
        except ValueError:
            break
        if isinstance(record, dict) and hmac.compare_digest(str(record.get("nonce")), nonce):
            records.append(record)
    return records
