"""The figures of one step: where its time went and what it cost."""

from __future__ import annotations

from collections.abc import Mapping

from trajectories.lab.tags import milliseconds
from trajectories.models import Step

TOKENS = ("prompt", "completion", "reasoning", "cached")


def figures_of(step: Step, *, has_page: bool) -> list[tuple[str, str]]:
    """Names and values for reading; what was not posted is left out. Without a page no browser takes time."""
    times = (("model_ms", "Model"), ("env_ms", "Page and browser" if has_page else "Outside the model"))
    more = step.more if isinstance(step.more, Mapping) else {}
    usage = more.get("usage")
    found: list[tuple[str, str]] = []
    if step.duration_ms is not None:
        found.append(("Whole step", milliseconds(step.duration_ms)))
    found += [
        (title, milliseconds(more[name])) for name, title in times if isinstance(more.get(name), int | float)
    ]
    if isinstance(usage, Mapping):
        found += [
            (f"{name.capitalize()} tokens", f"{usage[name]:,}")
            for name in TOKENS
            if isinstance(usage.get(name), int)
        ]
    if step.policy_version is not None:
        found.append(("Policy version", str(step.policy_version)))
    if step.started_at is not None:
        found.append(("Started", step.started_at.strftime("%H:%M:%S UTC")))
    return found
