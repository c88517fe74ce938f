"""Review with the most helpful votes among those that mention a term."""

from __future__ import annotations

from tasks_app.families.reviews.common.selection import Selection
from tasks_app.families.wordings import wording

Selection(
    wording=wording(__name__), ways=("most helpful",), value=lambda outline: str(outline.helpful)
).register()
