"""Formulas of the behaviour measures: heuristics over words and addresses, not human judgement.

``measures.py`` declares the measures, and ``docs/behaviour.md`` describes them. When a formula changes so
that the same steps get other values, raise ``VERSION``.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

from palaestra.protocol.outline import strip_ids
from trajectories.actions import elements, types
from trajectories.actions.types import DeclaredStep, get_type

# Raise this whenever the same steps and events would give different facts; all facts are then computed again.
VERSION = 16

# If a thought or an observation is longer, only its beginning is measured.
MEASURED_CHARS = 100_000
PLACE_CHARS = 16
CACHED_CHARS = 200

WORD = re.compile(r"[^\W\d_]+|\d+(?:[.,]\d+)*")
NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:[.,]\d+)*(?![\w])")
# An opening dollar sign has no space after it; a closing one has no space before it and no digit after it.
# This is pandoc's rule for tex_math_dollars, which leaves prices alone. An escaped dollar sign is always an
# amount.
TEX = re.compile(
    r"\$\$[^$]{1,2000}\$\$|(?<!\\)\$(?=\S)(?:\\.|[^$\n\\]){1,500}(?<=\S)\$(?!\d)"
    r"|\\\([^\n]{1,500}?\\\)|\\\[[^$]{1,2000}?\\\]"
)
OPERAND = r"[(\[]*+(?:\d[\d.,]*+|\\?[A-Za-z]{1,6}\b)(?:\([^()\n]{1,20}\))?[)\]!%²³]*+"
PLAIN_FORMULA = re.compile(
    rf"(?<![\w.]){OPERAND}(?:[ \t]{{0,2}}(?:[-+*/^=<>×·÷≤≥≈]|\*\*|==)[ \t]{{0,2}}{OPERAND})++"
)
SIGN = re.compile(r"[=<>^*/+×·÷≤≥≈]|\d[ \t]*-[ \t]*\d")
CHECKS = re.compile(
    r"\b(?:(?:double[- ]?|re-?)?check(?:s|ed|ing)?(?![- ]?(?:in|out|box|boxes|mark|list)\b)"
    r"|verif(?:y|ies|ied|ying)|confirm(?:s|ed|ing)?|sanity|make sure|making sure|re-?read(?:ing)?"
    r"|re-?comput(?:e|ed|ing)|plug(?:ging)?\b.{0,20}\bback|substitut(?:e|ing)\b.{0,20}\bback)\b",
    re.IGNORECASE,
)
# Stop words carry no content, so they are left out of the share of restated words.
STOP = frozenset(Path(__file__).with_name("stop_words.txt").read_text(encoding="utf-8").split())
Pair = tuple[str, str]


class Turn(DeclaredStep, frozen=True, kw_only=True):
    """The parts of a step that are measured.

    ``picture`` is the screenshot's perceptual hash, else its SHA-256, or empty without a screenshot.
    ``shown`` is a hash of the observation without element ids; if it is given, ``observation`` may consist of
    the line with the action's target alone. ``message`` is the action's result as the model read it.
    """

    thought: str = ""
    message: str = ""
    is_thought_hidden: bool = False
    picture: str = ""
    url: str = ""
    shown: str | None = None


class Trail:
    """The pages that an episode has visited up to its current step.

    ``submitted_in`` is the step that sent the answer. If it is None, every step counts as before the answer.
    """

    def __init__(self, *, submitted_in: int | None) -> None:
        self.submitted_in = submitted_in
        self.place = self.page = self.action = self.page_before = self.action_before = ""
        self.index = self.first_index = 0
        self.is_known_page = False
        self._pages: set[str] = set()
        self._first_seen: dict[tuple[str, str], int] = {}

    def advance(self, turn: Turn) -> None:
        self.page_before, self.action_before = self.page, self.action
        self.index, self.place, self.action = turn.index, place_of(turn), turn.type
        self.page = turn.url or self.place
        self.is_known_page = self.page in self._pages
        self._pages.add(self.page)
        key = (self.place, repr(turn.action))
        self.first_index = self._first_seen.setdefault(key, turn.index) if self.place else turn.index

    @property
    def repeats(self) -> int | None:
        """The first earlier step with the same place and action, or None if there is none."""
        return self.first_index if self.first_index != self.index else None

    @property
    def is_page_change(self) -> bool:
        return bool(self.page_before) and self.page != self.page_before

    @property
    def is_backtrack(self) -> bool:
        is_return = self.is_page_change and self.is_known_page and self.action_before != "back"
        return self.action == "back" or is_return


def word_count(thought: str) -> int:
    """Count the words of a thought, where a word is a run of letters."""
    return sum(1 for word in WORD.findall(_measured(thought)) if not word[0].isdecimal())


def number_count(thought: str) -> int:
    """Count the numbers in a thought, also those in formulas. Separators are part of a number."""
    return len(NUMBER.findall(_measured(thought)))


def formula_count(thought: str) -> int:
    """Count the formulas in a thought: delimited TeX, and other runs of operands and operators."""
    measured = _measured(thought)
    outside = TEX.sub(" ", measured)
    # The search for operands is slow, and most thoughts contain no operator at all.
    runs = PLAIN_FORMULA.finditer(outside) if SIGN.search(outside) else ()
    return sum(1 for _ in TEX.finditer(measured)) + sum(1 for run in runs if _is_formula(run.group()))


def _measured(thought: str) -> str:
    return thought.strip()[:MEASURED_CHARS]


def _is_formula(run: str) -> bool:
    """Return whether a run is a formula and not words joined by slashes or hyphens ("and/or")."""
    if not SIGN.search(run):
        return False
    return bool(re.search(r"\d", run)) or "=" in run


def restated_share(thought: str, *, observation: str, action: Mapping[str, Any] | None) -> float:
    """Return the share of a thought's content words that restate the page or the action.

    Words are case-folded, stop words are left out, and a pair is two neighbouring words. A word restates if
    one of its pairs also occurs in the observation's text or in the action's wording. Thoughts of fewer than
    two content words give 0. Paraphrases are not detected.
    """
    words = _content(thought)
    if len(words) < 2:
        return 0.0
    page_pairs, action_pairs = _pairs_of_page(observation), _pairs_of_action(action, observation)
    covered = bytearray(len(words))
    for place, pair in enumerate(pairwise(words)):
        if pair in page_pairs or pair in action_pairs:
            covered[place] = covered[place + 1] = 1
    return sum(covered) / len(words)


def place_of(turn: Turn) -> str:
    """Return a hash of what the page showed.

    It is the hash of the observation's text without element ids, else of the picture, else empty.
    """
    if turn.shown is not None:
        return turn.shown
    shown = strip_ids(turn.observation) if turn.observation else turn.picture
    if not shown:
        return ""
    return hashlib.blake2b(shown.encode("utf-8", "replace"), digest_size=PLACE_CHARS // 2).hexdigest()


def says_check(thought: str) -> bool:
    """Return whether a thought mentions checking.

    Check-in, check-out, check boxes and checklists do not count.
    """
    return CHECKS.search(thought[:MEASURED_CHARS]) is not None


def _content(text: str) -> list[str]:
    return [word for word in WORD.findall(text[:MEASURED_CHARS].casefold()) if word not in STOP]


# Cached because consecutive steps often observe the same page.
@lru_cache(maxsize=8)
def _pairs_of_page(observation: str) -> frozenset[Pair]:
    lines = strip_ids(observation)[:MEASURED_CHARS].splitlines()
    words = (_cache_content(line) if len(line) <= CACHED_CHARS else _content(line) for line in lines)
    return frozenset(pairwise(chain.from_iterable(words)))


# Cached because the pages of a site share most of their lines. The words of short lines take 17 MB at most.
@lru_cache(maxsize=4096)
def _cache_content(line: str) -> Sequence[str]:
    return _content(line)


def _pairs_of_action(action: Mapping[str, Any] | None, observation: str) -> set[Pair]:
    if not action:
        return set()
    target = elements.target_of(action, observation=observation)
    texts = [str(action[key])[:MEASURED_CHARS] for key in types.text_fields() if key in action]
    phrases = [*texts, ""]
    if target:
        phrases += [f"{target.name} {target.role}", f"{target.role} {target.name}"]
    kind = types.find(get_type(action))
    pairs: set[Pair] = set()
    for verb in kind.verbs if kind and kind.verbs else (get_type(action),):
        for phrase in phrases:
            pairs.update(pairwise(_content(f"{verb} {phrase}")))
    return pairs
