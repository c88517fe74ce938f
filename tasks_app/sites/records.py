"""Reconstruction of drawn tasks from stored ones.

This module is separate from the drawing because drawing also runs in processes without the app.
"""

from __future__ import annotations

from tasks_app.families.registry import find_by_tags
from tasks_app.families.types import SiteTask
from tasks_app.models import Gold, Task
from tasks_app.sites.drafts import LEVEL
from verifiers import denotations


def site_task(task: Task, gold: Gold) -> SiteTask:
    """Rebuild the drawn task from a stored one, except for its changes, which are sealed in the payload.

    Raises ``ValueError`` for a task without a family.
    """
    extra, tags = gold.extra, list(task.tags)
    family = find_by_tags(tags)
    if family is None:
        raise ValueError(f"Task {task.pk} belongs to no family.")
    goal = {name: extra[name] for name in ("state", "free")} if "state" in extra else None
    level = next(int(tag.removeprefix(LEVEL)) for tag in tags if tag.startswith(LEVEL))
    return SiteTask(
        family=family.id,
        level=level,
        wording=task.payload["text"],
        answer=tuple(denotations.split_cell(gold.answer)),
        fields=tuple(task.payload["fields"]),
        forms=task.payload["forms"],
        goal=goal,
        needs=tuple(extra["needs"]),
        is_possible=extra["is_possible"],
        twin=extra["twin"],
        oracle_steps=extra["oracle_steps"],
        given=extra["given"],
    )
