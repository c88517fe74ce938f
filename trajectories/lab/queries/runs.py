"""Choices of filters that come from runs."""

from __future__ import annotations

from trajectories.models import Run

RUN_CHOICES = 200
MODEL_CHOICES = 500


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
