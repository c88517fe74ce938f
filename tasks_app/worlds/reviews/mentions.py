"""Placement of terms in reviews by construction, so that the truth is known without reading."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from core.draws import Draws
from tasks_app.worlds.reviews.types import Case, Mark, Place, Term

FEWEST, MOST = 3, 60
MOST_IN_BODY = 4
PART_FORMS = (0.68,)
PROBLEM_FORMS = (0.46, 0.66, 0.80)
"""Cumulative shares of mentions with the word itself and with each of its other forms except the last."""
CAPITAL_SHARE = 0.12
UPPER_SHARE = 0.06
FOREIGN_MENTION_SHARE = 0.3


@lru_cache(maxsize=1 << 14)
def get_mark(term: str, form: int, case: Case, place: Place, at: int = 0) -> Mark:
    """Return a shared object for equal marks, since many reviews have the same ones."""
    return Mark(term, form, case, place, at)


@dataclass(slots=True)
class Plot:
    """The parts of a review that are settled before terms are planted in it."""

    stars: int
    sentences: int
    has_reply: bool = False
    language: str = ""


def terms_plant(draws: Draws, plots: list[Plot], terms: tuple[Term, ...]) -> list[tuple[Mark, ...]]:
    """Plant terms and return each review's marks. Reviews get longer and get replies if marks need it."""
    planter = _Planter(draws, plots)
    for term in terms:
        planter.plant(term)
    return planter.settled()


class _Planter:
    def __init__(self, draws: Draws, plots: list[Plot]) -> None:
        self.draws = draws
        self.share = draws.share
        self.plots = plots
        self.english = [number for number, plot in enumerate(plots) if not plot.language]
        self.foreign = [number for number, plot in enumerate(plots) if plot.language]
        self.marks: dict[int, list[Mark]] = {}
        self.in_body = [0] * len(plots)
        self.filled: set[tuple[Place, int]] = set()

    def plant(self, term: Term) -> None:
        """Plant mentions and, in other reviews, text that only resembles mentions."""
        taken: set[int] = set()
        ceiling = min(MOST, max(FEWEST + 3, len(self.english) * 2 // 5))
        core = self._take(self.draws.log_whole(FEWEST, ceiling), "body", taken)
        for number in core:
            self._mark(number, term, "body", self._form(term))
        whole = self.draws.whole
        for number in self._take(whole(1, 2 + len(core) // 4), "title", taken):
            self._mark(number, term, "title", self._title_form(term))
        for number in self._take(whole(1, 2 + len(core) // 5), "reply", taken):
            self._mark(number, term, "reply", 0)
        for number in self._take(whole(1, 2 + len(core) // 4), "body", taken):
            self._mark(number, term, "body", -1)
        for number in self.foreign:
            if self.in_body[number] < 2 and self.share() < FOREIGN_MENTION_SHARE:
                self.in_body[number] += 1
                self.marks.setdefault(number, []).append(get_mark(term.word, 0, "capital", "body"))
        self._again(term, core)

    def _again(self, term: Term, core: list[int]) -> None:
        """Plant a second mention in some reviews, which still count only once."""
        for number in core:
            drawn = self.share()
            if drawn < 0.06 and self._is_free(number, "body"):
                self._mark(number, term, "body", self._form(term))
            elif 0.06 <= drawn < 0.14 and self._is_free(number, "title"):
                self._mark(number, term, "title", self._title_form(term))
            elif 0.14 <= drawn < 0.18 and self._is_free(number, "reply"):
                self._mark(number, term, "reply", 0)

    def _take(self, count: int, place: Place, taken: set[int]) -> list[int]:
        """Take up to ``count`` English reviews that have room and contain nothing of the term yet."""
        chosen: list[int] = []
        for _ in range(count * 6):
            if len(chosen) == count:
                break
            number = self.english[int(self.share() * len(self.english))]
            if number not in taken and self._is_free(number, place):
                taken.add(number)
                chosen.append(number)
        return chosen

    def _is_free(self, number: int, place: Place) -> bool:
        if place == "body":
            return self.in_body[number] < MOST_IN_BODY
        return (place, number) not in self.filled

    def _mark(self, number: int, term: Term, place: Place, form: int) -> None:
        case: Case = "lower" if form < 0 or place == "reply" else self._case(term, place, form)
        self.marks.setdefault(number, []).append(get_mark(term.word, form, case, place))
        if place == "body":
            self.in_body[number] += 1
        else:
            self.filled.add((place, number))
        if place == "reply":
            self.plots[number].has_reply = True

    def _form(self, term: Term) -> int:
        drawn = self.share()
        shares = PART_FORMS if term.kind == "part" else PROBLEM_FORMS
        return sum(drawn >= share for share in shares)

    def _title_form(self, term: Term) -> int:
        return 0 if term.kind == "problem" or self.share() < PART_FORMS[0] else 1

    def _case(self, term: Term, place: Place, form: int) -> Case:
        drawn = self.share()
        if drawn < UPPER_SHARE:
            return "upper"
        # No sentence in the grammar begins with "Leaks" or "Leaked", and titles begin with other words.
        if (
            drawn < UPPER_SHARE + CAPITAL_SHARE
            and place == "body"
            and (term.kind == "part" or form in (0, 3))
        ):
            return "capital"
        return "lower"

    def settled(self) -> list[tuple[Mark, ...]]:
        """Return each review's marks, with their sentences drawn."""
        marks = self.marks
        return [
            self._place(number, marks[number]) if number in marks else () for number in range(len(self.plots))
        ]

    def _place(self, number: int, marks: list[Mark]) -> tuple[Mark, ...]:
        count = self.in_body[number]
        if not count:
            return tuple(marks)
        plot = self.plots[number]
        plot.sentences = max(plot.sentences, count)
        if count == 1:
            places = [int(self.share() * plot.sentences)]
        else:
            places = self.draws.sample(range(plot.sentences), count)
        return tuple(
            get_mark(mark.term, mark.form, mark.case, "body", places.pop()) if mark.place == "body" else mark
            for mark in marks
        )
