"""The command palette's entries for what was typed, newest first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Q
from django.db.models.expressions import RawSQL
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse

from tasks_app.models import Task
from tasks_app.task_words import task_query, tasks_with
from trajectories.models import Episode, Report, Run
from trajectories.shell import slow_queries
from trajectories.shell.access import LabRequest, lab_page
from trajectories.shell.queries.tasks import task_excerpt
from trajectories.shell.text.formulas import question_line

WORDS_MAX_CHARS = 200
ROWS_MAX = 5
TITLE_MAX_CHARS = 120
# A number after "#" is always an id and never a search word.
NUMBER = re.compile(r"(#?)(\d{1,18})")


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A link to a page. ``title`` and ``detail`` may contain untrusted text."""

    icon: str
    title: str
    detail: str
    address: str


class PalettePage:
    """The palette's contents. ``entries`` is a short list that takes a fixed number of queries, whatever was
    typed; it is empty if the queries take too long.
    """

    def __init__(self, words: str) -> None:
        self.words = words.strip()[:WORDS_MAX_CHARS]
        self.entries = slow_queries.result_in_time(lambda: _entries(self.words)) or []


def _entries(words: str) -> Sequence[Entry]:
    if not words:
        return _runs(Q())
    number = NUMBER.fullmatch(words)
    numbered = _list_numbered(int(number[2])) if number else []
    if number and number[1]:
        return numbered
    return [
        *numbered,
        *_runs(Q(name__icontains=words) | Q(model__icontains=words)),
        *_reports(words),
        *_tasks(words),
    ]


def _list_numbered(number: int) -> list[Entry]:
    """Return the episode, run, task and report with that number, the likeliest first."""
    episodes = Episode.objects.filter(pk=number).values_list("run__name", "task__key")
    entries = [_entry("episode", number, f"Episode {number}", f"{run} · {key}") for run, key in episodes]
    for kind, rows in (
        ("run", Run.objects.filter(pk=number).values_list("name")),
        ("task", Task.objects.filter(pk=number).values_list("key")),
        ("report", Report.objects.filter(pk=number).values_list("name")),
    ):
        entries += [_entry(kind, number, f"{kind.title()} {number}", name) for (name,) in rows]
    return entries


def _runs(condition: Q) -> list[Entry]:
    rows = Run.objects.filter(condition).order_by("-pk").values_list("pk", "name", "model")[:ROWS_MAX]
    return [_entry("run", pk, name, f"run {pk} · {model}") for pk, name, model in rows]


def _reports(words: str) -> list[Entry]:
    rows = Report.objects.filter(name__icontains=words).order_by("-pk").values_list("pk", "name")[:ROWS_MAX]
    return [_entry("report", pk, name, f"report {pk}") for pk, name in rows]


def _tasks(words: str) -> list[Entry]:
    query = task_query(words)
    if not query:
        return []
    tasks = (
        Task.objects.filter(pk__in=RawSQL(tasks_with("%s"), [query]))  # noqa: S611 (constants)
        .annotate(excerpt=task_excerpt())
        .order_by("pk")
        .only("benchmark_id", "split", "key")[:ROWS_MAX]
    )
    return [
        _entry(
            "task",
            task.pk,
            question_line(task.excerpt, TITLE_MAX_CHARS) or task.key,
            f"task {task.pk} · {task}",
        )
        for task in tasks
    ]


def _entry(kind: str, number: int, title: str, detail: str) -> Entry:
    return Entry(icon=kind, title=title, detail=detail, address=reverse(kind, args=[number]))


@lab_page
def palette(request: LabRequest) -> HttpResponse:
    """Render the palette's entries for what was typed, as a fragment of its list."""
    return render(request, "lab/palette/_entries.html", {"page": PalettePage(request.GET.get("q", ""))})
