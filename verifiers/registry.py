"""Registry of verifiers by id. It does not import Django, so the verifier children do not need it either."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from core.registry import Registry
from core.text.toml import table_load
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
    """True if the verifier runs the agent's code, so that only workers of the sandbox queue may use it."""
    sandbox_datasets: frozenset[str] | None = None
    """The datasets (``extra["dataset"]``) whose golds need the sandbox; the others are judged in a child."""
    joint: Joint | None = None
    """A function that judges once and returns, by id, the verdicts of all verifiers that share the run."""


VERIFIERS: Registry[Verifier] = Registry("verifier")


def verifier(
    verifier_id: str,
    *,
    title: str,
    needs_sandbox: bool = False,
    sandbox_datasets: frozenset[str] | None = None,
    joint: Joint | None = None,
) -> Callable[[Check], Check]:
    """Register the decorated function as ``verifier_id`` (``<file name>-v<n>``).

    Its examples are in the TOML file of the same name, in the same folder.
    """

    def register(check: Check) -> Check:
        file = Path(str(sys.modules[check.__module__].__file__)).with_suffix(".toml")
        examples = tuple(table_load(file, Example)) if file.exists() else ()
        plugin = Verifier(verifier_id, title, check, examples, needs_sandbox, sandbox_datasets, joint)
        VERIFIERS.register(verifier_id, plugin)
        return check

    return register


def discover() -> None:
    """Import every verifier in ``verifiers/builtin``; calling it again has no effect."""
    VERIFIERS.discover(importlib.import_module("verifiers.builtin"))


def list_sandboxed() -> list[str]:
    """List the verifiers that need the sandbox for at least some golds."""
    return [verifier_id for verifier_id, plugin in VERIFIERS.items() if plugin.needs_sandbox]


def is_sandboxed(verifier_id: str, *, dataset: object) -> bool:
    """Return whether a verifier judges golds of a dataset (``extra["dataset"]``, if any) in the sandbox."""
    if verifier_id not in list_sandboxed():
        return False
    only = VERIFIERS.get(verifier_id).sandbox_datasets
    return only is None or dataset in only


def run(verifier_id: str, *, gold: Gold, evidence: Evidence) -> Verdict:
    """Judge in this process, without a timeout: for children, tests and trusted input only.

    Raises ``GymError`` ``unknown_verifier`` and ``UnparsableGold``.
    """
    return VERIFIERS.get(verifier_id).check(gold, evidence)


def run_many(verifier_ids: Iterable[str], *, gold: Gold, evidence: Evidence) -> dict[str, Verdict]:
    """Judge as ``run`` does, with several verifiers, which share a run where they can."""
    requested = set(verifier_ids)
    verdicts: dict[str, Verdict] = {}
    for plugin in sorted(map(VERIFIERS.get, sorted(requested)), key=lambda plugin: plugin.joint is None):
        if plugin.id in verdicts:
            continue
        if plugin.joint:
            verdicts |= plugin.joint(gold, evidence)
        else:
            verdicts[plugin.id] = plugin.check(gold, evidence)
    return {verifier_id: verdicts[verifier_id] for verifier_id in requested}
