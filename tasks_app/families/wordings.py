"""Wordings of task families, from one TOML file next to each module and one for the whole site.

A phrase is a format string or a list of them to draw from. A slot that the family does not fill is filled
with the phrase of the same name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from core.draws import Draws
from core.text.toml import toml_load

Phrases = Mapping[str, str | tuple[str, ...]]
FOLDER = Path(__file__).parent


@dataclass(frozen=True, kw_only=True)
class Wording:
    """A family's texts, which can be changed without touching code."""

    id: str = ""
    site: str = ""
    title: str
    splits: tuple[str, ...]
    steps: tuple[int, int, int, int, int]
    """Maximum number of steps that an oracle takes, per level.

    Every task declares this number, because its own would reveal how deep its answer lies. Tasks that need
    more steps are not drawn.
    """
    fields: tuple[str, str]
    """Labels of the two parts of the answer."""
    way: tuple[str, ...] = ()
    """The steps of the scripted solution, each with its reason and without the answer.

    They are the same for all tasks, so they never reveal that a task is impossible.
    """
    phrases: Phrases = field(default_factory=dict)

    def text(self, draws: Draws, name: str = "task", **slots: str | int) -> str:
        """Fill the slots of a phrase. Alternatives are drawn in the order in which the text uses them."""
        return str(_Slots(self.phrases, draws, slots)[name])


class _Slots(dict[str, str | int]):
    def __init__(self, phrases: Phrases, draws: Draws, slots: Mapping[str, str | int]) -> None:
        super().__init__(slots)
        self._phrases, self._draws = phrases, draws

    def __missing__(self, name: str) -> str:
        phrase = self._phrases[name]
        return (phrase if isinstance(phrase, str) else self._draws.pick(phrase)).format_map(self)


def wording(module: str) -> Wording:
    """Load the wording of the family with this module name."""
    *_, site, family = module.split(".")
    own = toml_load(FOLDER / site / f"{family}.toml", Wording)
    return replace(own, id=family, site=site, phrases={**site_phrases(site), **own.phrases})


@cache
def site_phrases(site: str) -> Phrases:
    return toml_load(FOLDER / site / "phrases.toml", dict[str, str | tuple[str, ...]])
