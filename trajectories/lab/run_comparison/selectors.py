"""Reads of several runs at once."""

from __future__ import annotations

from collections.abc import Collection

from django.db.models import Q, Sum

from trajectories.models.sums import EndingSum


def version_voids(run_ids: Collection[int]) -> dict[int, dict[int, float]]:
    """The share of ended episodes that are void, by run and policy version."""
    rows = (
        EndingSum.objects.filter(run_id__in=run_ids, policy_version__isnull=False)
        .order_by()
        .values_list("run_id", "policy_version")
        .annotate(all=Sum("episodes"), void=Sum("episodes", filter=Q(outcome="void")))
    )
    shares: dict[int, dict[int, float]] = {}
    for run_id, version, episodes, void in rows:
        if episodes and version is not None:
            shares.setdefault(run_id, {})[version] = (void or 0) / episodes
    return shares
