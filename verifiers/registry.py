"""Verifiers by id. Needs no Django, so that the children that run them need none either."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.registry import Registry
from verifiers.types import Evidence, Example, Gold, Verdict

Check = Callable[[Gold, Evidence], Verdict]
Joint = Callable[[Gold, Evidence], Mapping[str, Verdict]]


@dataclass(frozen=True)
class Verifier:
    """A pure function from gold and evidence to a verdict, and the examples that prove it."""

    id: str
    title: str
    check: Check
    examples: tuple[Example, ...]
    needs_sandbox: bool = False
    """It runs what the agent wrote: judged by the workers of the sandbox queue alone."""
    sandbox_datasets: frozenset[str] | None = None
    """It needs the sandbox for golds of these alone (``extra["dataset"]``), and a child for the others."""
    joint: Joint | None = None
    """Its verdict and those of verifiers that look at less of the same run, by id."""


VERIFIERS: Registry[Verifier] = Registry("verifier")


def verifier(
    verifier_id: str,
    *,
    title: str,
    examples: Sequence[Example],
    needs_sandbox: bool = False,
    sandbox_datasets: frozenset[str] | None = None,
    joint: Joint | None = None,
) -> Callable[[Check], Check]:
    """Register the function below as ``verifier_id`` (``<file name>-v<n>``)."""

    def register(check: Check) -> Check:
        plugin = Verifier(verifier_id, title, check, tuple(examples), needs_sandbox, sandbox_datasets, joint)
        VERIFIERS.register(verifier_id, plugin)
        return check

    return register


def discover() -> None:
    """Import every verifier of ``verifiers/builtin``; doing it again changes nothing."""
    VERIFIERS.discover(importlib.import_module("verifiers.builtin"))


def sandboxed() -> list[str]:
    """Ids of the verifiers that need the sandbox, for some golds at least."""
    return [verifier_id for verifier_id, plugin in VERIFIERS.items() if plugin.needs_sandbox]


def is_sandboxed(verifier_id: str, *, dataset: object) -> bool:
    """Whether golds of a dataset (``extra["dataset"]``, None without one) are judged in the sandbox."""
    if verifier_id not in sandboxed():
        return False
    only = VERIFIERS.get(verifier_id).sandbox_datasets
    return only is None or dataset in only


def run(verifier_id: str, *, gold: Gold, evidence: Evidence) -> Verdict:
    """Judge in this process, without a clock: for children, tests and trusted input only.

    Raises ``GymError`` ``unknown_verifier`` and ``UnparsableGold``.
    """
    return VERIFIERS.get(verifier_id).check(gold, evidence)


def run_many(verifier_ids: Iterable[str], *, gold: Gold, evidence: Evidence) -> dict[str, Verdict]:
    """Judge as ``run`` does, by several verifiers; those that can share a run are given one."""
    asked = set(verifier_ids)
    found: dict[str, Verdict] = {}
    for plugin in sorted(map(VERIFIERS.get, sorted(asked)), key=lambda plugin: plugin.joint is None):
        if plugin.id in found:
            continue
        if plugin.joint:
            found |= plugin.joint(gold, evidence)
        else:
            found[plugin.id] = plugin.check(gold, evidence)
    return {verifier_id: found[verifier_id] for verifier_id in asked}
