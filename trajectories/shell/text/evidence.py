"""A verdict's evidence, as far as a reader may see it.

Verdicts on tasks of the mock sites are stored with ``conditions`` on the requested state. The list is empty
for a task that is judged by its values alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from tasks_app.families import registry
from tasks_app.models import Task
from tasks_app.worlds.registry import Condition
from trajectories.models import Verdict
from trajectories.shell.text.values import Value, values_of

KINDS = {"goal": "Requested changes", "frame": "Everything else unchanged", "allowed": "Allowed differences"}


@dataclass(frozen=True, kw_only=True)
class Reading:
    """The answer and the gold as one verifier parsed them; ``gold`` is None for readers who may not see it.

    ``values`` has the parts of both if the task asks for several fields.
    """

    verifier: str
    outcome: str
    answer: str
    gold: str | None
    values: list[Value] = field(default_factory=list)


def readings_of(evidence: Mapping[str, Any], *, golds: bool, fields: Sequence[str] = ()) -> list[Reading]:
    """Return a reading for each verifier that was run, sorted by verifier id; ``fields`` are the task's."""
    opinions = evidence.get("verifiers")
    if not isinstance(opinions, Mapping):
        return []
    return [
        _reading(verifier, opinion, golds=golds, fields=fields)
        for verifier, opinion in sorted(opinions.items())
        if isinstance(opinion, Mapping)
    ]


def _reading(verifier: str, opinion: Mapping[str, Any], *, golds: bool, fields: Sequence[str]) -> Reading:
    answer = str(opinion.get("parsed_answer", ""))
    gold = str(opinion.get("parsed_gold", "")) if golds else None
    return Reading(
        verifier=verifier,
        outcome="correct" if opinion.get("correct") else "incorrect",
        answer=answer,
        gold=gold,
        values=values_of(fields, given=answer, expected=gold or ""),
    )


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """A comparison of the requested state with the final state.

    ``kinds`` gives for each kind of condition True if all of them were met. ``groups`` has the conditions of
    each kind; it is empty for readers who may not see golds.
    """

    kinds: list[tuple[str, bool]]
    groups: list[tuple[str, list[Condition]]]


def comparison_of(evidence: Mapping[str, Any], *, golds: bool) -> Comparison | None:
    """Return the comparison of states; None for a verdict without conditions, as when values alone decide."""
    conditions = msgspec.convert(evidence.get("conditions") or [], list[Condition])
    if not conditions:
        return None
    by_kind = {kind: [condition for condition in conditions if condition.kind == kind] for kind in KINDS}
    return Comparison(
        kinds=[
            (KINDS[kind], all(condition.is_held for condition in group))
            for kind, group in by_kind.items()
            if kind != "allowed"
        ],
        groups=[(KINDS[kind], group) for kind, group in by_kind.items() if group] if golds else [],
    )


def lacks_comparison(task: Task, verdict: Verdict | None, evidence: Mapping[str, Any]) -> bool:
    """Return True if a verifier compared states but the verdict was stored without the comparison."""
    family = registry.find_by_tags(task.tags)
    is_judged = verdict is not None and bool(verdict.verifier) and verdict.outcome != Verdict.Outcome.VOID
    return is_judged and family is not None and family.is_done and not evidence.get("conditions")
