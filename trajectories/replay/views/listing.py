"""The list of episodes with its filters, as it stands on its own page and on a run's."""

from __future__ import annotations

from typing import Any

from django.http import QueryDict

from trajectories.models import Run
from trajectories.replay.forms import EpisodeFilter
from trajectories.replay.selectors import episodes, runs, tasks

ID_DIGITS = 19


def episode_listing(parameters: QueryDict, *, run: Run | None = None) -> dict[str, Any]:
    """The context of ``lab/_episode_table.html`` and of its filter form."""
    form = EpisodeFilter(
        parameters,
        benchmarks=tasks.benchmarks_known(),
        runs=None if run else runs.run_choices(wanted=_wanted_run(parameters)),
    )
    filters = form.filters()
    before = filters.pop("cursor", None)
    if run is not None:
        filters["run"] = run.pk
    page = episodes.episode_page(filters=filters, before=before)
    return {"form": form, "page": page, "is_first": before is None, "run": run}


def _wanted_run(parameters: QueryDict) -> int | None:
    text = parameters.get("run", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) <= ID_DIGITS else None
