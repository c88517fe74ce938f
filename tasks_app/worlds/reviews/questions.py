"""A product's questions section, which mentions terms too."""

from __future__ import annotations

from datetime import date, timedelta
from functools import lru_cache

from core.draws import Draws
from tasks_app.worlds.cache import cache_size
from tasks_app.worlds.editions import Edition
from tasks_app.worlds.reviews import vocabulary
from tasks_app.worlds.reviews import world as worlds
from tasks_app.worlds.reviews.grammar import pattern_write
from tasks_app.worlds.reviews.text import others
from tasks_app.worlds.reviews.types import Answer, Product, Question, World

TERM_SHARE = 0.55


def questions(world: World, product_id: str) -> tuple[Question, ...]:
    """Draw 6 to 18 questions with up to three answers each, newest first."""
    return _questions(world.key, world.edition, world.first_day, product_id)


# The questions about one product take 8 KiB.
@lru_cache(maxsize=cache_size(megabytes=4, kib=8))
def _questions(key: bytes, edition: Edition, first_day: date, product_id: str) -> tuple[Question, ...]:
    world = worlds.world(key, edition=edition, first_day=first_day)
    product = world.product(product_id)
    draws = Draws(world.key, "reviews", world.edition, "questions", product.number)
    drawn = [_question(draws.at(place), world, product, place) for place in range(draws.whole(6, 18))]
    return tuple(sorted(drawn, key=lambda question: (-question.day.toordinal(), question.id)))


def _question(draws: Draws, world: World, product: Product, place: int) -> Question:
    words = vocabulary.load_vocabulary(world.edition)
    category = words.categories[product.category]
    term = draws.pick(category.terms) if draws.chance(TERM_SHARE) else None
    kind = f"_{term.kind}" if term else ""
    slots = {
        "thing": product.noun,
        "brand": product.brand,
        "use": draws.pick(category.uses),
        "other": draws.pick(others(world, product)),
        "x": term.word if term else "",
    }

    def written(name: str) -> str:
        return pattern_write(draws.pick(words.phrases[name]), draws=draws, slots=slots)

    text = written(f"ask{kind}")
    # The same question about a product always gets the same kind of answer.
    answer = f"answer{kind or Draws(world.key, 'answer', product.number, text).pick('+-')}"
    return Question(
        id=f"Q{product.number}{place:02d}",
        asker=draws.pick(words.catalogue.people),
        day=world.first_day - timedelta(days=draws.whole(1, product.launched)),
        text=text,
        answers=tuple(
            Answer(author=draws.pick(words.catalogue.people), text=text)
            for text in dict.fromkeys(written(answer) for _ in range(draws.whole(0, 3)))
        ),
    )
