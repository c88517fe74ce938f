"""Categories of products, the terms that their reviewers mention, and their data files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from tasks_app.worlds.editions import toml_load


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """A word that tasks count reviews by."""

    word: str
    forms: tuple[str, ...]
    """Its plural, or the third person, past and -ing form of a verb."""
    kind: Literal["part", "problem"]
    longer: tuple[str, ...]
    """Sentences with a longer word that contains the term."""
    foreign: Mapping[str, str]
    """The word in each foreign language of the edition."""

    @property
    def all_forms(self) -> tuple[str, ...]:
        return (self.word, *self.forms)


@dataclass(frozen=True, slots=True, kw_only=True)
class Category:
    """A kind of product. Its id is the name of its file."""

    id: str = ""
    noun: str
    terms: tuple[Term, ...]
    models: tuple[str, ...]
    sizes: tuple[str, ...]
    prices: tuple[int, int]
    """Lowest and highest, in euros."""
    uses: tuple[str, ...]
    praise: tuple[str, ...]
    blame: tuple[str, ...]
    summary: tuple[str, ...]


def category_load(path: Path) -> Category:
    return replace(toml_load(path, Category), id=path.stem)
