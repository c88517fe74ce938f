"""The rules that classify where an episode on a page was lost; the first rule that holds decides.

The rules read only recorded evidence and never a gold. ``python -m validation.losses`` measures how often
they are right.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from trajectories.behaviour.facts.types import words_of

FORMAT_REASONS = frozenset({"unparsable_answer", "invalid_actions"})
BUDGET_REASONS = frozenset({"step_budget", "token_budget", "time_budget"})
# A page leaves out no words, so the remainder is a tolerance for the layout of formulas and tables.
WORDS_SEEN_MIN = 0.9
# Below this share of right characters, a copy of the same page in the same look counts as misread.
READING_MIN = 0.98
# Thoughts count as having read the question if they name at least this share of its numbers (or of its words,
# if it has fewer than two numbers).
TAKEN_UP_MIN = 0.5
NUMBERS_MIN = 2
NUMBER = re.compile(r"\d+(?:\.\d+)*")
# If this share of the steps are unreadable, or repeat an earlier one, more steps would not have helped.
WASTED_MAX = 0.5
# An agent with this many different steps, or whose thoughts take up the question, was making progress when
# the budget ran out.
UNDER_WAY_MIN = 3
# A result that a thought names. If there are several, the last one counts.
CONCLUSION = re.compile(
    r"(?:\\boxed\{(?P<boxed>[^{}]{1,80})\}"
    r"|\b(?:(?:final |right |correct )?answer|result|solution)(?: is|:| =| would be| must be)+\s*"
    r"(?:\*\*|\$|\"|option |choice )*(?P<named>[^\s,;*$\"]{1,80}))",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True)
class LostEpisode:
    """The parts of a wrong episode on a page that the rules read.

    ``reason`` is the verdict's reason, and ``question`` the text that the page shows. ``observations`` are
    the texts that the model was shown; ``is_partly_known`` is true if it was also shown pictures, or texts
    that are not available. Of the ``steps``, ``unread`` counts those without a readable action, and
    ``repeats`` those that did the same as an earlier step on the same page. ``answer`` is the answer as
    submitted, or empty without one. ``reading`` is the mean score of the reading probes of the same item in
    the same look, or None without probes.
    """

    reason: str
    question: str
    is_in_prompt: bool = False
    is_partly_known: bool = False
    observations: Sequence[str] = ()
    thoughts: Sequence[str] = ()
    steps: int = 0
    unread: int = 0
    repeats: int = 0
    answer: Sequence[str] = ()
    reading: float | None = None

    @cached_property
    def question_words(self) -> list[str]:
        return words_of(self.question)

    @cached_property
    def question_numbers(self) -> set[str]:
        return {word for word in self.question_words if NUMBER.fullmatch(word)}

    @cached_property
    def observed_words(self) -> set[str]:
        return {word for text in self.observations for word in words_of(text)}

    @cached_property
    def thought_words(self) -> set[str]:
        return {word for text in self.thoughts for word in words_of(text)}

    @cached_property
    def thought_numbers(self) -> set[str]:
        return {word for word in self.thought_words if NUMBER.fullmatch(word)}

    @property
    def is_stuck(self) -> bool:
        return self.steps > 0 and self.repeats >= WASTED_MAX * self.steps

    @property
    def conclusion(self) -> str:
        """The answer that the thoughts name last, or an empty string if they name none."""
        matches = [match for text in self.thoughts for match in CONCLUSION.finditer(text)]
        return (matches[-1]["boxed"] or matches[-1]["named"] or "") if matches else ""


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A rule for a class of losses.

    ``words`` state the rule for readers. ``evidence`` returns what fits the rule in an episode, or None.
    """

    id: str
    title: str
    words: str
    evidence: Callable[[LostEpisode], str | None]


@dataclass(frozen=True, kw_only=True)
class Loss:
    """The class of a lost episode, with the evidence for it."""

    id: str
    evidence: str


def loss_of(episode: LostEpisode) -> Loss:
    """Return the class of the first rule that holds for an episode, or ``UNDETERMINED``."""
    for rule in RULES:
        evidence = rule.evidence(episode)
        if evidence is not None:
            return Loss(id=rule.id, evidence=evidence)
    return Loss(id=UNDETERMINED, evidence="no rule fits what was recorded")


def _format(episode: LostEpisode) -> str | None:
    if episode.reason in FORMAT_REASONS:
        return f"ended as {episode.reason}"
    is_unread = episode.unread > 0 and episode.unread >= WASTED_MAX * episode.steps
    return f"{episode.unread} of {episode.steps} actions could not be read" if is_unread else None


def _budget(episode: LostEpisode) -> str | None:
    if episode.reason not in BUDGET_REASONS or episode.is_stuck:
        return None
    different = episode.steps - episode.repeats - episode.unread
    is_under_way = different >= UNDER_WAY_MIN or _taken_up(episode)[0] >= TAKEN_UP_MIN
    return f"ended as {episode.reason}" if is_under_way else None


def _context(episode: LostEpisode) -> str | None:
    return "ended as context_length" if episode.reason == "context_length" else None


def _never_observed(episode: LostEpisode) -> str | None:
    if episode.is_in_prompt or episode.is_partly_known or not episode.observations:
        return None
    missing = sorted(episode.question_numbers - episode.observed_words)
    if missing:
        return f"no observation has the question's {', '.join(missing[:5])}"
    words = set(episode.question_words)
    share = len(words & episode.observed_words) / len(words) if words else 1.0
    return f"observations have {share:.0%} of the question's words" if share < WORDS_SEEN_MIN else None


def _procedure(episode: LostEpisode) -> str | None:
    if episode.reason in BUDGET_REASONS:
        return (
            f"{episode.repeats} of {episode.steps} steps repeat an earlier one" if episode.is_stuck else None
        )
    if episode.reason != "answer":
        return f"ended as {episode.reason}"
    concluded = words_of(episode.conclusion)
    submitted = [words_of(part) for part in (*episode.answer, *_choices(episode))]
    if not (concluded and episode.answer) or any(
        _contains(part, concluded) or _contains(concluded, part) for part in submitted
    ):
        return None
    return f"concluded {episode.conclusion!r}, submitted {' | '.join(episode.answer)[:80]!r}"


def _misread(episode: LostEpisode) -> str | None:
    if episode.reason in BUDGET_REASONS:
        return None
    if episode.reading is not None and episode.reading < READING_MIN:
        return f"a copy of the same page has {episode.reading:.0%} of its characters right"
    known = episode.question_numbers | episode.observed_words
    for number in sorted(episode.question_numbers - episode.thought_numbers):
        for other in sorted(episode.thought_numbers - known):
            if _is_slip(number, other):
                return f"thoughts have {other} and never the question's {number}"
    return None


def _reasoning(episode: LostEpisode) -> str | None:
    if episode.reason in BUDGET_REASONS:
        return None
    share, kind = _taken_up(episode)
    return f"thoughts take up {share:.0%} of the question's {kind}" if share >= TAKEN_UP_MIN else None


def _taken_up(episode: LostEpisode) -> tuple[float, str]:
    """Return the share of the question's numbers that thoughts name, or of its words if it has few numbers.

    The second value is ``numbers`` or ``words``.
    """
    numbers = episode.question_numbers
    is_by_number = len(numbers) >= NUMBERS_MIN
    source = numbers if is_by_number else {word for word in episode.question_words if len(word) > 3}
    share = len(source & episode.thought_words) / len(source) if source else 0.0
    return share, "numbers" if is_by_number else "words"


def _choices(episode: LostEpisode) -> list[str]:
    """Return the texts of the choices whose labels were submitted."""
    labels = {f"{part.strip()}. " for part in episode.answer}
    return [line for line in episode.question.splitlines() if line.startswith(tuple(labels))]


def _contains(whole: Sequence[str], part: Sequence[str]) -> bool:
    """Return whether the words of ``part`` occur in ``whole`` one after another."""
    size = len(part)
    return size > 0 and any(list(whole[n : n + size]) == list(part) for n in range(len(whole) - size + 1))


def _is_slip(number: str, other: str) -> bool:
    """Return whether two numbers differ in one digit, or by two swapped neighbouring digits.

    Numbers of a single digit do not count.
    """
    if len(number) != len(other) or len(number) < 2:
        return False
    places = [n for n, (a, b) in enumerate(zip(number, other, strict=True)) if a != b]
    if len(places) == 1:
        return True
    return len(places) == 2 and places[1] == places[0] + 1 and sorted(number) == sorted(other)


UNDETERMINED = "undetermined"
RULES: Sequence[Rule] = (
    Rule(
        id="format",
        title="Format",
        words="the verdict's reason is an unreadable answer or too many invalid actions, or at least half of "
        "the actions could not be read",
        evidence=_format,
    ),
    Rule(
        id="budget",
        title="Budget",
        words="steps, tokens or time ran out while the agent made progress: fewer than half of the steps "
        "repeat an earlier one, and at least three steps are different or thoughts take up half of the "
        "question's numbers (words)",
        evidence=_budget,
    ),
    Rule(
        id="context",
        title="Context",
        words="the conversation no longer fitted the model's context window",
        evidence=_context,
    ),
    Rule(
        id="never_observed",
        title="Never in an observation",
        words="a number in the question, or more than a tenth of its words, is in no observed text",
        evidence=_never_observed,
    ),
    Rule(
        id="procedure",
        title="Procedure",
        words="no answer was submitted (the model stopped, or at least half of the steps repeat an earlier "
        "one), or the submitted answer differs from the last one that a thought names",
        evidence=_procedure,
    ),
    Rule(
        id="misread",
        title="Misread",
        words="reading probes of the same item in the same look have under 98% of the characters right, or "
        "thoughts have a number that differs in a digit from one in the question, and never the right one",
        evidence=_misread,
    ),
    Rule(
        id="reasoning",
        title="Reasoning",
        words="an answer was submitted, and thoughts take up at least half of the question's numbers (or of "
        "its words, if it has fewer than two numbers)",
        evidence=_reasoning,
    ),
)
TITLES = {**{rule.id: rule.title for rule in RULES}, UNDETERMINED: "Undetermined"}
