"""Contents of the list of learned rewards, and of the page with a model's card."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter

from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import render

from core.api.paging import page_cut
from core.errors import GymError
from trajectories.models import RewardModel
from trajectories.record.projects import EVERYTHING
from trajectories.rewards.components.learned import MARK
from trajectories.rewards.learned.card import AUROC_MIN
from trajectories.rewards.learned.pages.charts import calibration_chart
from trajectories.rewards.learned.store import ID_CHARS, Model, list_problems, model_of
from trajectories.rewards.learned.types import Card
from trajectories.shell.access import LabRequest, lab_page
from trajectories.shell.charts.drawing import Drawing
from trajectories.shell.forms import CursorForm

MODELS_PER_PAGE = 25


@dataclass(frozen=True, kw_only=True)
class ModelRow:
    """A stored model in the list. If it is refused, ``model`` is None and ``problem`` is the reason."""

    row: RewardModel
    model: Model | None
    problem: str = ""


def _row(row: RewardModel) -> ModelRow:
    try:
        return ModelRow(row=row, model=model_of(row))
    except GymError as error:
        return ModelRow(row=row, model=None, problem=error.message)


class ModelsPage:
    """One page of learned rewards, newest first, starting at the cursor in ``parameters``."""

    def __init__(self, parameters: QueryDict) -> None:
        form = CursorForm(parameters)
        before = form.filters().get("cursor")
        self.is_first = before is None
        models = RewardModel.objects.order_by("-pk")
        if before is not None:
            models = models.filter(pk__lt=before)
        read = list(models[: MODELS_PER_PAGE + 1])
        shown, self.older = page_cut(read, limit=MODELS_PER_PAGE, place=attrgetter("pk"))
        self.rows = [_row(one) for one in shown]
        self.errors = form.error_messages()


class ModelPage:
    """The page with a model's card. The model's id is the beginning of its hash."""

    auroc_min = AUROC_MIN

    def __init__(self, model_id: str) -> None:
        rows = RewardModel.objects.filter(sha256__startswith=model_id) if len(model_id) == ID_CHARS else None
        row = rows.order_by("pk").first() if rows is not None else None
        if row is None:
            raise Http404(f"There is no learned reward {model_id[:20]}.")
        try:
            self.model = model_of(row)
        except GymError as error:
            raise Http404(error.message) from error

    @property
    def card(self) -> Card:
        return self.model.card

    @cached_property
    def problems(self) -> list[str]:
        """Reasons why no training run's profile may use the model."""
        return list_problems([f"{MARK}{self.model.id}"], viewer=EVERYTHING, is_training=True)

    @cached_property
    def chart(self) -> Drawing | None:
        return calibration_chart(self.card.calibration)


@lab_page
def model_list(request: LabRequest) -> HttpResponse:
    return render(request, "lab/learned/models.html", {"here": "judges", "page": ModelsPage(request.GET)})


@lab_page
def model_detail(request: LabRequest, model_id: str) -> HttpResponse:
    """Show a learned reward's card."""
    return render(request, "lab/learned/model.html", {"here": "judges", "page": ModelPage(model_id)})
