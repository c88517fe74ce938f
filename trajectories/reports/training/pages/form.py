"""The two reports between which a transfer matrix is computed."""

from __future__ import annotations

from django.http import QueryDict

from trajectories.models import Report
from trajectories.shell.forms import FilterForm, choice_field
from trajectories.shell.text.untrusted import visible

REPORTS_MAX = 200
NONE = ("", "none chosen")


class TransferForm(FilterForm):
    """Filters of the transfer matrix; without both reports, it is that of training runs."""

    page = "the transfer matrix"

    def __init__(self, data: QueryDict) -> None:
        super().__init__(data)
        newest = Report.objects.order_by("-pk").values_list("pk", "name")[:REPORTS_MAX]
        choices = [NONE, *((str(pk), visible(f"{pk} · {name}")) for pk, name in newest)]
        for end in ("before", "after"):
            self.fields[end] = field = choice_field([], f"Report {end} training")
            field.choices = choices

    def reports(self) -> tuple[Report, Report] | None:
        """Return the reports before and after; None unless both are named."""
        named = self.filters()
        if "before" not in named or "after" not in named:
            return None
        by_id = Report.objects.in_bulk([int(named["before"]), int(named["after"])])
        return by_id[int(named["before"])], by_id[int(named["after"])]
