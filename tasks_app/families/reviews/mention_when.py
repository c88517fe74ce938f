"""Date of the first or last mention of a term in a product's reviews, with its author."""

from __future__ import annotations

from tasks_app.families.reviews.common.selection import Selection
from tasks_app.families.wordings import wording

Selection(
    wording=wording(__name__), ways=("newest", "oldest"), value=lambda outline: outline.day.isoformat()
).register()
