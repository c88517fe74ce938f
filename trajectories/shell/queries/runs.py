"""Runs for the page of a run, and as choices of filters."""

from __future__ import annotations

from django.http import Http404

from trajectories.models import PolicyVersion, Run

POLICY_VERSIONS_SHOWN = 100
RUN_CHOICES = 200
MODEL_CHOICES = 500


def run_get(run_id: int) -> Run:
    """Raises ``Http404`` where there is none."""
    run = Run.objects.select_related("created_by").filter(pk=run_id).first()
    if run is None:
        raise Http404(f"There is no run {run_id}.")
    return run


def run_policy_versions(*, run_id: int) -> list[PolicyVersion]:
    """The newest policy versions, newest first."""
    return list(PolicyVersion.objects.filter(run_id=run_id).order_by("-version")[:POLICY_VERSIONS_SHOWN])


def run_choices(*, selected: int | None = None) -> list[tuple[int, str]]:
    """The newest runs as ids and names, and the selected one if it is older."""
    newest = list(Run.objects.order_by("-id").values_list("id", "name")[:RUN_CHOICES])
    if selected is None or selected in dict(newest):
        return newest
    return newest + list(Run.objects.filter(pk=selected).values_list("id", "name"))


def models_known() -> list[str]:
    """The models of runs."""
    models = Run.objects.exclude(model="").order_by("model").values_list("model", flat=True)
    return list(models.distinct()[:MODEL_CHOICES])
