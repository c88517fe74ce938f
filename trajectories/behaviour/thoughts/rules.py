"""The rules that classify a sentence of a thought; the first rule that holds decides.

The rules read what the model had seen and written so far, and the action that followed, but never a verdict
or a gold. ``codebook.toml`` defines the classes, ``cues.toml`` has the words, and ``docs/thoughts.md``
reports how often the rules are right.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from trajectories.behaviour.thoughts import cues
from trajectories.behaviour.thoughts.words import Known, numbers, stems

# A sentence counts as repeated if at least this share of its words occurred in earlier text.
PAIRS_REPEATED = 0.6
WORDS_REPEATED = 0.9
# The share is higher for a sentence that contains a reason.
PAIRS_REPEATED_WITH_REASON = 0.85
# The most words in a sentence that only turns to the next thing.
TURN_WORDS = 6
# The most words in a sentence that names a value that the action types.
VALUE_WORDS = 10
CONTENT_MIN = 3
FRAGMENT_WORDS = 2
# If a smaller share of a sentence's words is distinct, it counts up or says the same thing again and again.
DIFFERENT_MIN = 0.4
REPEATED_MIN = 8


@dataclass(frozen=True, kw_only=True)
class Action:
    """The words of an action; ``typed`` has only the text that the model enters or selects."""

    words: str = ""
    typed: str = ""

    @cached_property
    def stems(self) -> frozenset[str]:
        return frozenset(stems(self.words))

    @cached_property
    def typed_stems(self) -> frozenset[str]:
        return frozenset(stems(self.typed))


NO_ACTION = Action()


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """A sentence, with what was shown and said before it (``known``) and the ``action`` that followed."""

    text: str
    known: Known
    action: Action = NO_ACTION

    @cached_property
    def words(self) -> list[str]:
        return self.text.split()

    @cached_property
    def stems(self) -> list[str]:
        return stems(self.text)

    @cached_property
    def is_value_of_action(self) -> bool:
        """True if the sentence ends with a value that the action types, as in "Oldest: Rowan C."."""
        if len(self.words) > VALUE_WORDS:
            return False
        values = [stems(mark.group(1)) for mark in cues.VALUE.finditer(self.text)]
        return any(value and self.action.typed_stems.issuperset(value) for value in values)

    @cached_property
    def is_arithmetic_copied(self) -> bool:
        """True if the sentence's numbers occurred in the same order before."""
        values = [one for one in self.stems if one[0].isdecimal()]
        return set(pairwise(values)) <= self.known.pairs

    @property
    def is_program(self) -> bool:
        return cues.PROGRAM.match(self.text) is not None

    @property
    def is_monotonous(self) -> bool:
        """True if the sentence repeats the same few words."""
        return len(self.words) >= REPEATED_MIN and len(set(self.words)) < DIFFERENT_MIN * len(self.words)

    @cached_property
    def numbers(self) -> set[str]:
        return numbers(cues.NAMES.sub(" ", self.text))

    @cached_property
    def new_numbers(self) -> set[str]:
        return self.numbers - self.known.numbers

    @cached_property
    def is_arithmetic(self) -> bool:
        return cues.ARITHMETIC.search(cues.NAMES.sub(" ", self.text)) is not None

    @cached_property
    def is_repeated(self) -> bool:
        """True if the sentence repeats what was shown or said before."""
        if not self.stems:
            return False
        own = cues.QUOTED.sub(" ", self.text)
        has_reason = cues.REASONS.search(own) or cues.JUDGES.search(own)
        least = PAIRS_REPEATED_WITH_REASON if has_reason else PAIRS_REPEATED
        return self.pair_share >= least or (
            self.known.share(self.stems) >= WORDS_REPEATED and not self.is_reasoned
        )

    @cached_property
    def pair_share(self) -> float:
        return self.known.pair_share(self.stems)

    @cached_property
    def is_act(self) -> bool:
        return bool(cues.ACTS.search(self.text) or cues.ACTS_AT_ONCE.match(self.text))

    @cached_property
    def is_answer(self) -> bool:
        return cues.ANSWERS.search(self.text) is not None

    @cached_property
    def is_described(self) -> bool:
        return cues.DESCRIBES.search(self.text) is not None

    @cached_property
    def is_reasoned(self) -> bool:
        """True if the sentence draws a conclusion or makes a judgement."""
        return bool(cues.CONCLUDES.search(self.text) or cues.JUDGES.search(self.text))


def _revise(one: Sentence) -> bool:
    if cues.TAKES_BACK.search(one.text):
        return True
    return bool(cues.FAILED.search(one.text) and cues.CHANGES_COURSE.search(one.text))


def _check(one: Sentence) -> bool:
    if one.pair_share == 1:
        return False
    if cues.CHECKS.search(one.text):
        return True
    check = cues.CHECK.search(one.text)
    return bool(check and cues.CHECKED_FOR.search(one.text, check.end()))


def _calculate(one: Sentence) -> bool:
    is_equation = cues.EQUATION.search(one.text)
    is_planned = cues.AIMS.match(one.text) or cues.NEEDS.search(one.text)
    if (is_planned and one.is_arithmetic_copied) or (one.is_program and not one.is_arithmetic):
        return False
    is_formula = is_equation or (one.is_arithmetic and not one.is_reasoned)
    if is_formula and not (one.is_act or one.is_answer):
        return one.pair_share < 1 or bool(one.new_numbers)
    if one.is_arithmetic and is_equation:
        return True
    if one.is_act or one.is_answer:
        return False
    if cues.TOTALS.search(one.text) and one.pair_share < 1:
        return True
    if cues.COUNTED.search(one.text) or cues.SO_MANY.search(one.text):
        return True
    if not one.new_numbers:
        return False
    if cues.COUNTS.search(one.text):
        return True
    is_digit = any(number in one.text for number in one.new_numbers)
    return is_digit and cues.RESULTS.search(one.text) is not None and not one.is_described


def _plan(one: Sentence) -> bool:
    is_needed = cues.NEEDS.search(one.text) or cues.AIMS.match(one.text)
    is_reason = cues.REASONS.search(one.text, 1)
    return bool(is_needed) and not (one.is_act and _is_of_page(one)) and not is_reason


def _infer(one: Sentence) -> bool:
    if one.is_program:
        return True
    is_new = one.pair_share < 1
    if is_new and (cues.SUPPOSES_OF.search(one.text) or cues.SORTED.search(one.text)):
        return True
    if one.is_value_of_action:
        return False
    if one.is_repeated or _is_act_for_page(one):
        return False
    if one.is_answer or one.is_act:
        return cues.CONCLUDES.search(one.text, 1) is not None
    return one.is_reasoned and not (one.is_described and not cues.REASONS.search(one.text))


def _announce(one: Sentence) -> bool:
    if one.is_act or one.is_answer or one.is_value_of_action:
        return True
    is_turn = cues.TURNS.match(one.text) or cues.NEXT.search(one.text)
    if is_turn and len(one.words) <= TURN_WORDS and not one.is_described:
        return True
    return _is_of_action(one)


def _other(one: Sentence) -> bool:
    if cues.EMPTY.fullmatch(one.text) or cues.HEADING.fullmatch(one.text):
        return True
    if cues.COUNTED_UP.fullmatch(one.text):
        return True
    if cues.LABELLED.match(one.text) and len(one.words) > 1 and one.known.share(one.stems) == 1:
        return False
    if len(one.words) <= FRAGMENT_WORDS and not (
        one.numbers or one.is_act or _is_of_action(one) or cues.SORTED.search(one.text)
    ):
        return len(one.stems) < FRAGMENT_WORDS
    return one.is_monotonous


def _restate(one: Sentence) -> bool:
    return one.is_repeated or one.is_described


def _is_of_action(one: Sentence) -> bool:
    """Return whether a short sentence consists of what the action types, selects or clicks."""
    return 0 < len(one.stems) <= CONTENT_MIN and one.action.stems.issuperset(one.stems)


def _is_act_for_page(one: Sentence) -> bool:
    """Return whether the page is the only reason for an action, as in "A dialog is open, so I close it"."""
    if not (one.is_act and _is_of_page(one)):
        return False
    reason = cues.REASONS.search(one.text)
    return reason is None or cues.ACTS.match(one.text, reason.end() + 1) is not None


def _is_of_page(one: Sentence) -> bool:
    return cues.OF_PAGE.search(one.text) is not None


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A rule that assigns a class; ``words`` state the rule for readers of ``docs/thoughts.md``."""

    id: str
    words: str
    holds: Callable[[Sentence], bool]


# Strict rules come before loose ones, so the order differs from the codebook's.
RULES: Sequence[Rule] = (
    Rule(
        id="other",
        words=(
            'a set phrase ("Okay.", "Step 1:"), a short heading with a colon, one or two words without '
            "content, numbers counted up, or at least eight words of which fewer than 40% differ; but not a "
            "choice with its label"
        ),
        holds=_other,
    ),
    Rule(
        id="revise",
        words=(
            'takes something back ("Wait,", "I misread", "that is wrong"), or says that something failed '
            "and what is tried instead"
        ),
        holds=_revise,
    ),
    Rule(
        id="check",
        words=(
            'verifies, confirms or compares with a condition ("as asked", "exactly what", "agrees with"), '
            'or has "check" with what is tested, in a sentence that was not entirely said'
        ),
        holds=_check,
    ),
    Rule(
        id="calculate",
        words=(
            "an equation, or arithmetic without a reason, that was not entirely said; a list with the "
            'number of its members; "so", "sum" or "product" with a number; a number that did not occur '
            "before, with a word for a result; but neither a plan that repeats a formula nor a line of a "
            "program"
        ),
        holds=_calculate,
    ),
    Rule(
        id="plan",
        words=(
            'says what is needed ("I need", "to find", "let me count", "we can start by"), without a reason '
            "in the sentence and without an action on the page"
        ),
        holds=_plan,
    ),
    Rule(
        id="infer",
        words=(
            'a line of a program; a supposition ("presumably", "might"); a decision on what belongs to the '
            'answer ("Counts", "so it is out"); or a reason or judgement ("so", "because", "only", "cheaper '
            'than", "must") in a sentence that is neither said nor a description, nor an action whose only '
            "reason is the page"
        ),
        holds=_infer,
    ),
    Rule(
        id="announce",
        words=(
            'says or names an action ("I will click", "Next, open"), names the answer ("the answer is"; '
            '"Oldest: Ada B.", if the action types it), or consists of what the action types or clicks'
        ),
        holds=_announce,
    ),
    Rule(
        id="restate",
        words='was said, or describes something ("I see", "there is", "the page shows", "the task asks")',
        holds=_restate,
    ),
)


def class_of(sentence: Sentence) -> str:
    """Return the class of the first rule that holds.

    If none holds, the class is ``infer`` for a long enough sentence, else ``other``.
    """
    is_long = len(sentence.words) > CONTENT_MIN and len(sentence.stems) > 1
    default = "infer" if is_long else "other"
    return next((rule.id for rule in RULES if rule.holds(sentence)), default)
