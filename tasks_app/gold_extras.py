"""Enrichment of golds during loading with data that their files lack and that is expensive to compute.

It is computed once: loading an unchanged row again keeps the stored gold's value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from core.errors import GymError
from tasks_app.models import Gold
from tasks_app.types import Enrichment, TaskDraft


class Stored(NamedTuple):
    """A task's last gold that came from a source."""

    answer: str
    extra: Mapping[str, Any]


@dataclass
class Enricher:
    """Enrichment of one split's drafts; ``problem`` gives the reason if it had to stop."""

    enrichment: Enrichment
    benchmark: str
    split: str
    problem: str = ""

    def enriched(self, drafts: Sequence[TaskDraft]) -> list[TaskDraft | ValueError]:
        """Enrich each draft, or return its row's error.

        A draft stays unchanged if nothing can be computed.
        """
        stored = self._stored(draft.key for draft in drafts)
        return [self._enriched(draft, stored.get(draft.key)) for draft in drafts]

    def _enriched(self, draft: TaskDraft, stored: Stored | None) -> TaskDraft | ValueError:
        try:
            added = self._known(draft, stored) or self._computed(draft)
        except ValueError as error:
            return error
        gold = replace(draft.gold, extra={**draft.gold.extra, **added})
        return replace(draft, gold=gold, tags=(*draft.tags, *self.enrichment.tags(added)))

    def _known(self, draft: TaskDraft, stored: Stored | None) -> Mapping[str, Any]:
        if stored is None:
            return {}
        known = {key: stored.extra[key] for key in self.enrichment.keys if key in stored.extra}
        content = (draft.gold.answer, {**draft.gold.extra, **known})
        return known if (stored.answer, stored.extra) == content else {}

    def _computed(self, draft: TaskDraft) -> Mapping[str, Any]:
        if self.problem:
            return {}
        try:
            return self.enrichment.compute(draft)
        except GymError as error:
            self.problem = f"No {self.enrichment.what}: {error.message} Load again where that is possible."
            return {}

    def _stored(self, keys: Iterable[str]) -> dict[str, Stored]:
        golds = (
            Gold.objects.filter(
                task__benchmark=self.benchmark, task__split=self.split, task__key__in=list(keys)
            )
            .exclude(status=Gold.Status.CORRECTED)
            .order_by("task_id", "-version")
            .distinct("task_id")
        )
        rows = golds.values_list("task__key", "answer", "extra")
        return {key: Stored(answer, extra) for key, answer, extra in rows}
