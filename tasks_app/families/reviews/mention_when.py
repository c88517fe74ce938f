"""When a product's reviews first or last mention a term, and who wrote that."""

from __future__ import annotations

from tasks_app.families.reviews.common.selection import Selection
from tasks_app.families.wordings import wording

Selection(
    wording=wording(__name__), ways=("newest", "oldest"), value=lambda outline: outline.day.isoformat()
).register()
