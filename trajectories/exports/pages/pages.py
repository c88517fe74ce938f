"""Contents of the list of exports and of the page of one."""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter
from typing import Any

from django.http import Http404, QueryDict

from core.errors import GymError
from core.paging import page_cut
from trajectories.exports import selectors
from trajectories.exports.parameters import Revision, parameters_read
from trajectories.exports.registry import KINDS
from trajectories.exports.services import Author
from trajectories.exports.types import EpisodeKind
from trajectories.exports.work import LEFT_OUT
from trajectories.models import Export
from trajectories.shell import access
from trajectories.shell.access import LabRequest
from trajectories.shell.forms import CursorForm

EXPORTS_PER_PAGE = 25
RUNS = "runs"
# Not filters, or said elsewhere on the page.
UNSAID = {"format", "solutions", "as_of", "golds", "locked"}


def author_of(request: LabRequest) -> Author:
    """Return the logged-in user as the author of an export."""
    sees_golds = access.sees_golds(request.user)
    return Author(
        name=request.user.get_username(),
        sees_golds=sees_golds,
        sees_solutions=sees_golds,
        sees_guidance=sees_golds,
        unlocks=request.user.is_staff,
        user_id=request.user.pk,
    )


class ShownExport:
    """An export in a list, or on a page of its own."""

    def __init__(self, export: Export) -> None:
        self.export = export
        self.parameters = parameters_read(export.parameters)
        self.rows: int | None = export.result.get("rows")
        self.is_open = export.is_open

    @property
    def kind(self) -> EpisodeKind | None:
        return KINDS.get(self.export.kind) if self.export.kind in KINDS else None

    @property
    def title(self) -> str:
        return self.kind.title if self.kind else self.export.kind

    @property
    def filters(self) -> list[tuple[str, str]]:
        """Names and values of what differs from the defaults."""
        shown = []
        for name in self.parameters.__struct_fields__:
            value = getattr(self.parameters, name)
            default = getattr(DEFAULTS, name)
            if value != default and name not in UNSAID:
                shown.append((name.replace("_", " "), _words(value)))
        return shown

    @property
    def left_out(self) -> list[tuple[int, str]]:
        counts: Mapping[str, int] = self.export.result.get("left_out", {})
        return [(count, LEFT_OUT.get(name, name)) for name, count in counts.items()]

    @property
    def files(self) -> list[dict[str, Any]]:
        return selectors.file_entries(self.export)

    @property
    def bytes(self) -> int:
        return sum(one["bytes"] for one in self.files)


DEFAULTS = parameters_read({})


class ExportsPage:
    """Exports, newest first, from the cursor in ``parameters`` on."""

    def __init__(self, parameters: QueryDict, *, author: Author) -> None:
        parameters = parameters.copy()
        parameters.pop(RUNS, None)  # of the form
        form = CursorForm(parameters)
        before = form.filters().get("cursor")
        self.is_first = before is None
        exports = selectors.export_list(author=author, before=before, limit=EXPORTS_PER_PAGE)
        shown, self.older = page_cut(exports, limit=EXPORTS_PER_PAGE, place=attrgetter("pk"))
        self.exports = [ShownExport(export) for export in shown]
        self.errors = form.error_messages()
        self.kinds = [kind for _, kind in KINDS.items()]


def shown_or_404(export_id: int, *, author: Author) -> ShownExport:
    """Return the export with what its page shows. Raises ``Http404``."""
    try:
        return ShownExport(selectors.export_get(export_id, author=author))
    except GymError as error:
        raise Http404(error.message) from error


def _words(value: Any) -> str:
    if isinstance(value, list) and value and isinstance(value[0], Revision):
        return f"{len(value):,}"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if hasattr(value, "weights"):
        weights = ", ".join(f"{name}={number:g}" for name, number in value.weights.items())
        return f"{value.field} of project {value.project}: {weights}"
    return str(value)
