"""Pictures of questions, for the arms in which a picture is all that is shown of a question."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db.models import F

from core.storage.blobs import blob_store
from tasks_app import kinds
from tasks_app.models import QuestionPicture, Task
from tasks_app.pictures import CONTENT_TYPE, picture_read

KINDS = (kinds.FREE_ANSWER, kinds.CHOICE, kinds.PICTURE)
"""Kinds whose whole question is next to its form on one page, without table tools, editor or site."""


def find_pictures(tasks: Iterable[Task]) -> dict[int, dict[str, Any]]:
    """Return the tasks' pictures in the form that payloads use.

    A task is left out if it was never drawn or has changed since.
    """
    drawn = QuestionPicture.objects.filter(
        task__in=[task.pk for task in tasks], content_hash=F("task__content_hash")
    )
    return {
        row.task_id: {
            "name": "question",
            "sha256": row.sha256,
            "content_type": CONTENT_TYPE,
            "width": row.width,
            "height": row.height,
        }
        for row in drawn
    }


def tasks_undrawn(*, benchmark: str, limit: int | None = None) -> list[Task]:
    """List a benchmark's tasks that can be drawn but have no current picture, in id order."""
    tasks = Task.objects.filter(benchmark=benchmark, kind__in=KINDS)
    undrawn = tasks.exclude(question_picture__content_hash=F("content_hash")).order_by("pk")
    return list(undrawn[:limit])


def picture_store(task: Task, data: bytes) -> None:
    """Store a PNG as the picture of a task in its current form."""
    picture = picture_read(data)
    facts = {
        "content_hash": task.content_hash,
        "sha256": blob_store(picture.data).sha256,
        "width": picture.width,
        "height": picture.height,
    }
    QuestionPicture.objects.update_or_create(task=task, defaults=facts)
