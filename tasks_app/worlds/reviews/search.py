"""The site's own search, which means what it says and not what a task asks."""

from __future__ import annotations

from tasks_app.worlds.reviews.text import reviews
from tasks_app.worlds.reviews.types import Review, World

MEANING = (
    "Finds these letters anywhere, even inside longer words and in upper or lower case: in the title, the "
    "text, the original of a translated review and the seller response."
)


def search(world: World, product_id: str, text: str) -> tuple[Review, ...]:
    """The reviews of a product that contain the text, as ``MEANING`` says; newest first."""
    wanted = text.casefold()
    return tuple(
        review
        for review in reviews(world, product_id)
        if any(wanted in part.casefold() for part in review.texts())
    )


def site_search(world: World, product_id: str, text: str) -> int:
    """How many reviews the site's search finds."""
    return len(search(world, product_id, text))
