"""Answers to ``family_relationships`` questions, computed from their stories.

reasoning-gym 0.1.25 gets two kinds of relation wrong. For "What is Ann to Bob?", where Bob is the father of
Ann's husband, it answers ``father-in-law`` instead of ``daughter-in-law``, and it chooses between nephew and
niece by the sex of the aunt or uncle instead of the child's. This module gets both right. Some of the
package's names are used for both sexes; such a person gets an answer only if a spouse's name reveals the sex.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

SENTENCE = re.compile(
    r"(?P<one>\w+) is married to (?P<other>\w+)\."
    r"(?: They have (?:a child|children) called (?P<children>[\w ,]+)\.)?"
)
QUESTION = re.compile(r"(?:What|How)(?: relation)? is (?P<who>\w+) (?:related )?to (?P<whom>\w+)\?")
UNISEX = frozenset(
    ("Atlas", "Jayden", "Kai", "Logan", "Phoenix", "Zion", "Nova", "Rain", "River", "Sage", "Sky", "Winter")
)
NAME_BREAK = re.compile(r", | and ")


@dataclass
class Family:
    """A family from a story, as spouses and parents by name."""

    spouse: dict[str, str] = field(default_factory=dict)
    parents: dict[str, set[str]] = field(default_factory=dict)

    @classmethod
    def of_story(cls, story: str) -> Family:
        family = cls()
        for couple in SENTENCE.finditer(story):
            first, other = couple["one"], couple["other"]
            family.spouse |= {first: other, other: first}
            for child in NAME_BREAK.split(couple["children"] or ""):
                family.parents[child] = {first, other}
        return family

    def parents_of(self, name: str) -> set[str]:
        return self.parents.get(name, set())

    def siblings_of(self, name: str) -> set[str]:
        own = self.parents_of(name)
        return {other for other, parents in self.parents.items() if parents == own and other != name}

    def relation(self, who: str, whom: str) -> tuple[str, str] | None:
        """Name what ``who`` is to ``whom``, as a pair for a woman and for a man; None if no relation fits."""
        grandparents = {old for parent in self.parents_of(whom) for old in self.parents_of(parent)}
        aunts = {aunt for parent in self.parents_of(whom) for aunt in self.siblings_of(parent)}
        nephews = {child for child in self.parents if self.parents_of(child) & self.siblings_of(whom)}
        relations: Mapping[tuple[str, str], set[str]] = {
            ("mother", "father"): self.parents_of(whom),
            ("daughter", "son"): {child for child in self.parents if whom in self.parents_of(child)},
            ("wife", "husband"): {self.spouse.get(whom, "")},
            ("sister", "brother"): self.siblings_of(whom),
            ("grandmother", "grandfather"): grandparents,
            ("aunt", "uncle"): aunts,
            ("niece", "nephew"): nephews,
            ("daughter-in-law", "son-in-law"): {
                self.spouse.get(child, "") for child in self.parents if whom in self.parents_of(child)
            },
        }
        return next((words for words, people in relations.items() if who in people), None)


def answer(question: str, *, women: set[str]) -> str:
    """Return the word for the relation that the question asks for.

    It is empty if the question has another form, no word fits, or the person's sex cannot be known.
    """
    match = QUESTION.search(question)
    if match is None:
        return ""
    family = Family.of_story(question)
    words = family.relation(match["who"], match["whom"])
    is_plain = {match["who"], family.spouse.get(match["who"], match["who"])} - UNISEX
    return "" if words is None or not is_plain else words[0 if match["who"] in women else 1]
