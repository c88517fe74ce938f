"""The text of reviews, which is drawn only when it is read, from a separate stream per review."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache

from core.draws import Draws
from tasks_app.worlds.cache import cache_size
from tasks_app.worlds.editions import Edition
from tasks_app.worlds.formats import with_article
from tasks_app.worlds.reviews import vocabulary
from tasks_app.worlds.reviews import world as worlds
from tasks_app.worlds.reviews.grammar import Pattern, pattern_write
from tasks_app.worlds.reviews.outlines import outlines
from tasks_app.worlds.reviews.types import Change, Mark, Outline, Product, Review, Term, World

INFLECTIONS = {"part": ("part", "parts"), "problem": ("problem", "problem_s", "problem_ed", "problem_ing")}
LED_SHARE = 0.22
TURNED_SHARE = 0.7
"""Probability of linking words before a sentence, with the previous sentence's tone and with a new tone."""
LONG = 3
"""Minimum number of sentences for a review that may also say something at odds with its stars."""
LOOKS = 6
SEARCH_MEANING = (
    "Finds these letters anywhere, even inside longer words and in upper or lower case: in the title and "
    "the text (of a translated review, both the translation and the original) and in the seller response."
)
"""The site's own search works as this text says, not as a task's rule says."""
MIDDLES = ("fill", "fill", "fill", "own", "tale", "compare")


def reviews(world: World, product_id: str) -> tuple[Review, ...]:
    """Return every review of the product with its text, in the order of ``outlines``."""
    return _reviews(world.key, world.edition, world.first_day, product_id, world.changes)


def review(world: World, product_id: str, outline: Outline) -> Review:
    return _review(world.key, world.edition, world.first_day, product_id, outline)


# The reviews of one product take 237 KiB.
@lru_cache(maxsize=cache_size(megabytes=16, kib=250))
def _reviews(
    key: bytes, edition: Edition, first_day: date, product_id: str, changes: tuple[Change, ...]
) -> tuple[Review, ...]:
    bare = worlds.world(key, edition=edition, first_day=first_day)
    world = World(key=key, edition=edition, first_day=first_day, products=bare.products, changes=changes)
    scribe = _scribe(key, edition, first_day, product_id)
    return tuple(map(scribe.review, outlines(world, product_id)))


# A review with its outline takes 2 KiB. A list is shown again for each part of it that is opened.
@lru_cache(maxsize=cache_size(megabytes=8, kib=2))
def _review(key: bytes, edition: Edition, first_day: date, product_id: str, outline: Outline) -> Review:
    return _scribe(key, edition, first_day, product_id).review(outline)


@lru_cache(maxsize=cache_size(megabytes=1, kib=4))
def _scribe(key: bytes, edition: Edition, first_day: date, product_id: str) -> _Scribe:
    world = worlds.world(key, edition=edition, first_day=first_day)
    return _Scribe(world, world.product(product_id))


def search(world: World, product_id: str, text: str) -> tuple[Review, ...]:
    """Return a product's reviews that contain the text as ``SEARCH_MEANING`` defines, newest first."""
    needle = text.casefold()
    return tuple(
        review
        for review in reviews(world, product_id)
        if any(needle in part.casefold() for part in review.texts())
    )


def helpful_text(votes: int) -> str:
    return f"{votes} {'person' if votes == 1 else 'people'} found this helpful"


def others(world: World, product: Product) -> tuple[str, ...]:
    """List what reviewers compare this product with: its rivals in the shop, or else other brands."""
    names = tuple(
        other.name for other in world.products if other.category == product.category and other is not product
    )
    return names or tuple(f"{other.brand} one" for other in world.products if other is not product)


@dataclass(slots=True)
class _Draft:
    """A review being written: its stream of draws, the patterns used so far, and the topics covered."""

    draws: Draws
    stars: int
    slots: dict[str, str]
    is_long: bool
    used: set[int] = field(default_factory=set)
    topics: set[str] = field(default_factory=set)
    tones: dict[str, str] = field(default_factory=dict)
    last: str = ""
    """Tone of the previous sentence; empty at first."""

    def tone(self) -> str:
        """Choose praise or complaint by the stars; with two or four stars, sometimes the opposite."""
        likely = (0, 0.12 * self.is_long, 0.5, 1 - 0.13 * self.is_long, 1)[self.stars - 1]
        return "+" if self.draws.share() < likely else "-"

    def tone_of(self, subject: str) -> str:
        """Choose as ``tone`` does, but always the same when the review returns to a subject."""
        if subject not in self.tones:
            self.tones[subject] = self.tone()
        return self.tones[subject]

    def mood(self) -> str:
        """Choose as ``side`` does, or "neither": often for three stars, rarely for two and four."""
        neither = (0, 0.15, 0.6, 0.15, 0)[self.stars - 1]
        return "~" if self.draws.share() < neither else self.side()

    def side(self) -> str:
        """Choose praise or complaint strictly according to the stars."""
        overall = self.overall()
        return self.tone() if overall == "~" else overall

    def is_new(self, pattern: Pattern) -> bool:
        """Return whether the pattern is unused and its topics are not covered yet."""
        return id(pattern) not in self.used and self.topics.isdisjoint(pattern.topics)

    def overall(self) -> str:
        return "--~++"[self.stars - 1]


class _Scribe:
    def __init__(self, world: World, product: Product) -> None:
        words = vocabulary.load_vocabulary(world.edition)
        self.phrases = words.phrases
        self.category = words.categories[product.category]
        self.own = words.by_category[product.category]
        self.terms: Mapping[str, Term] = {term.word: term for term in self.category.terms}
        self.others = others(world, product)
        self.stream = Draws(world.key, "reviews", world.edition, "text", product.number)
        self.slots = {"thing": product.noun, "a_thing": with_article(product.noun), "brand": product.brand}

    def review(self, outline: Outline) -> Review:
        draft = self._draft(outline)
        reply = self._reply(draft, outline) if outline.has_reply else ""
        if outline.language:
            title, body, original = self._translated(draft, outline)
            return Review(outline=outline, title=title, body=body, original=original, reply=reply)
        by_place = {mark.at: mark for mark in outline.marks if mark.place == "body"}
        body = tuple(
            self._marked(draft, by_place[place]) if place in by_place else self._filler(draft, place, outline)
            for place in range(outline.sentences)
        )
        return Review(outline=outline, title=self._title(draft, outline), body=body, reply=reply)

    def _draft(self, outline: Outline) -> _Draft:
        """Start a review. Its author has one use for the product and compares it with one other product."""
        draws = self.stream.at(outline.number)
        use, other = draws.pick(self.category.uses), draws.pick(self.others)
        slots = {**self.slots, "use": use, "other": other}
        draft = _Draft(draws, outline.stars, slots, is_long=outline.sentences >= LONG)
        if outline.stars == 3:
            draft.topics.add("strong")
        draft.tones["own"] = draft.side()
        draft.tones |= {mark.term: draft.side() for mark in outline.marks if mark.place == "title"}
        return draft

    def _pick(self, draft: _Draft, patterns: tuple[Pattern, ...]) -> Pattern:
        """Pick an unused pattern with new topics, if a few attempts find one."""
        for _ in range(LOOKS):
            pattern = draft.draws.pick(patterns)
            if draft.is_new(pattern):
                break
        else:
            unused = [pattern for pattern in patterns if id(pattern) not in draft.used]
            pattern = draft.draws.pick([*filter(draft.is_new, unused)] or unused or patterns)
        draft.used.add(id(pattern))
        draft.topics |= pattern.topics
        return pattern

    def _led(self, draft: _Draft, sentence: str, tone: str) -> str:
        """Return the sentence, sometimes after a few words that link it to the previous one."""
        is_turn = {draft.last, tone} == {"+", "-"}
        is_first, draft.last = not draft.last, tone
        if is_first or not draft.draws.chance(TURNED_SHARE if is_turn else LED_SHARE):
            return sentence
        patterns = self.phrases["turn" if is_turn else "lead"]
        lead = pattern_write(self._pick(draft, patterns), draws=draft.draws, slots=draft.slots)
        is_name = sentence.startswith(("I ", draft.slots["brand"], draft.slots["other"]))
        return f"{lead} {sentence if is_name else sentence[:1].lower() + sentence[1:]}"

    def _sentence(self, draft: _Draft, patterns: tuple[Pattern, ...], x: str = "") -> str:
        draft.slots["x"] = x
        return pattern_write(self._pick(draft, patterns), draws=draft.draws, slots=draft.slots)

    def _filler(self, draft: _Draft, place: int, outline: Outline) -> str:
        if place == 0 and draft.draws.chance(0.8):
            draft.last = draft.overall()
            return self._sentence(draft, self.phrases["open" + draft.overall()])
        if place == outline.sentences - 1 and place and draft.draws.chance(0.6):
            return self._sentence(draft, self.phrases["close" + draft.overall()])
        kind = draft.draws.pick(MIDDLES)
        tone = draft.tone_of(kind) if kind == "own" else draft.side()
        patterns = (
            self.own["praise" if tone == "+" else "blame"] if kind == "own" else self.phrases[kind + tone]
        )
        if kind == "fill" or not any(map(draft.is_new, patterns)):
            tone = draft.mood()
            patterns = self.phrases["fill" + tone]
        return self._led(draft, self._sentence(draft, patterns), tone)

    def _marked(self, draft: _Draft, mark: Mark) -> str:
        if mark.form < 0:
            return self._sentence(draft, self.own[mark.term])
        term = self.terms[mark.term]
        name = INFLECTIONS[term.kind][mark.form] + ("_first" if mark.case == "capital" else "")
        tone = draft.tone_of(mark.term)
        sentence = self._sentence(draft, self.phrases[name + tone], _cased(term, mark))
        if mark.case == "capital":
            draft.last = tone
            return sentence
        return self._led(draft, sentence, tone)

    def _title(self, draft: _Draft, outline: Outline) -> str:
        mark = next((mark for mark in outline.marks if mark.place == "title"), None)
        if mark is None:
            return self._sentence(draft, self.phrases["title" + draft.overall()])
        term = self.terms[mark.term]
        return self._sentence(
            draft, self.phrases[f"title_{term.kind}{draft.tone_of(mark.term)}"], _cased(term, mark)
        )

    def _reply(self, draft: _Draft, outline: Outline) -> str:
        sentences = [self._sentence(draft, self.phrases["reply_open" + ("-" if outline.stars < 4 else "+")])]
        mark = next((mark for mark in outline.marks if mark.place == "reply"), None)
        if mark:
            sentences.append(
                self._sentence(draft, self.phrases[f"reply_{self.terms[mark.term].kind}"], mark.term)
            )
        sentences.append(self._sentence(draft, self.phrases["reply_close"]))
        return " ".join(sentences)

    def _translated(self, draft: _Draft, outline: Outline) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
        by_place = {mark.at: mark for mark in outline.marks if mark.place == "body"}
        mood = draft.mood()
        sentences = [self._both(draft, outline, name="title" + draft.overall())]
        for index in range(outline.sentences):
            mark = by_place.get(index)
            name = "term" + draft.tone_of(mark.term) if mark else mood
            sentences.append(self._both(draft, outline, name=name, place=1 + index, mark=mark))
        (_, title), *body = sentences
        return title, tuple(english for _, english in body), tuple(own for own, _ in sentences)

    def _both(
        self, draft: _Draft, outline: Outline, *, name: str, place: int = 0, mark: Mark | None = None
    ) -> tuple[str, str]:
        """Write a sentence and its translation; the same stream makes the same choices in both."""
        pairs = vocabulary.translations(outline.language)[name]
        unused = [pair for pair in pairs if id(pair) not in draft.used] or pairs
        own, english = pair = unused[int(draft.draws.share() * len(unused))]
        draft.used.add(id(pair))
        stream = self.stream.at(outline.number, "translated")
        word = self.terms[mark.term].foreign[outline.language] if mark else ""
        written = pattern_write(own, draws=stream.at(place), slots={"x": word})
        translated = {"x": mark.term.capitalize() if mark else ""}
        return written, pattern_write(english, draws=stream.at(place), slots=translated)


def _cased(term: Term, mark: Mark) -> str:
    form = term.all_forms[mark.form]
    if mark.case == "upper":
        return form.upper()
    return form.capitalize() if mark.case == "capital" else form
