"""Synthetic trajectories of episodes lost in a known way, to measure how often the rules are right.

They are cleaner than real trajectories, so accuracies measured on them are upper bounds.
"""

from __future__ import annotations

import random
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from trajectories.reports.losses.rules import BUDGET_REASONS, LostEpisode, loss_of
from validation.losses.scores import Score, SetName, scores_of

# How often a model restates a number that it read, and states its conclusion.
RESTATED, CONCLUDED = 0.85, 0.75
# The shares of misread episodes that have a reading probe, and whose number is garbled beyond a single digit.
PROBED, GARBLED = 0.3, 0.15
# The shares of procedure losses that stopped without an answer, and that went round in circles.
STOPPED, STUCK = 0.3, 0.3
# The share of format losses in which most actions could not be read.
UNREAD = 0.5


def scores(name: SetName, *, each: int, seed: int) -> list[Score]:
    """Return each class's precision and recall on ``each`` synthetic trajectories of every class."""
    pairs = [
        (kind, loss_of(MAKERS[kind](random.Random(f"{seed}:{name}:{kind}:{n}"), name)).id)
        for kind in MAKERS
        for n in range(each)
    ]
    return scores_of(pairs)


@cache
def texts(name: SetName) -> Mapping[str, Sequence[str]]:
    document = tomllib.loads(Path(__file__).with_name("made.toml").read_text(encoding="utf-8"))
    return dict(document[name])


def _reasoning(rng: random.Random, name: SetName) -> LostEpisode:
    """Draw an episode that was read correctly, reasoned wrongly, and submitted as concluded."""
    return _episode(rng, name)


def _episode(
    rng: random.Random, name: SetName, *, slip: Callable[[random.Random, str], str] | None = None
) -> LostEpisode:
    """Make an episode; ``slip`` changes the first number to what the model misreads."""
    parts = texts(name)
    numbers = [str(rng.randint(12, 4_000)) for _ in range(3)]
    question = rng.choice(parts["questions"]).format(*numbers)
    read = [slip(rng, numbers[0]) if slip else numbers[0], *numbers[1:]]
    stated = [number for n, number in enumerate(read) if rng.random() < RESTATED or (slip and n == 0)]
    answer = str(rng.randint(10, 9_999))
    thoughts = [rng.choice(parts["acts"]), _filled(rng.choice(parts["readings"]), stated)]
    thoughts += [
        rng.choice(parts["workings"]).format(rng.randint(10, 9_999)) for _ in range(rng.randint(0, 3))
    ]
    if rng.random() < CONCLUDED:
        thoughts.append(rng.choice(parts["conclusions"]).format(answer))
    page = f'main\n  heading 1 "Question"\n  text: {question}\n  [e1] textbox "Answer"'
    return LostEpisode(
        reason="answer", question=question, observations=[page, page], thoughts=thoughts, answer=[answer]
    )


def _filled(text: str, numbers: Sequence[str]) -> str:
    """Fill the text's placeholders with the numbers, and remove placeholders that are left over."""
    return text.format(*[*numbers, "it", "it", "it"][:3])


def _format(rng: random.Random, name: SetName) -> LostEpisode:
    """Draw a format failure, either of the answer or of the actions, some of which may be readable."""
    if rng.random() < UNREAD:
        spent = _spent(rng, name, repeated=rng.uniform(0, 0.9))
        return replace(spent, unread=round(spent.steps * rng.uniform(0.6, 1)))
    return replace(_episode(rng, name), reason=rng.choice(["unparsable_answer", "invalid_actions"]))


def _budget(rng: random.Random, name: SetName) -> LostEpisode:
    """Draw an episode that ran out of budget while making progress, sometimes with a repeated step."""
    return _spent(rng, name, repeated=rng.uniform(0, 0.4))


def _spent(rng: random.Random, name: SetName, *, repeated: float) -> LostEpisode:
    steps = rng.randint(8, 60)
    ended = replace(_episode(rng, name), reason=rng.choice(sorted(BUDGET_REASONS)), answer=[])
    return replace(ended, steps=steps, repeats=round(steps * repeated))


def _context(rng: random.Random, name: SetName) -> LostEpisode:
    return replace(_episode(rng, name), reason="context_length", answer=[])


def _never_observed(rng: random.Random, name: SetName) -> LostEpisode:
    """Draw an episode in which a sentence of the question, or the page's end, was never observed."""
    made = _episode(rng, name)
    sentences = made.question.split(". ")
    gone = rng.randrange(len(sentences))
    shown = ". ".join(sentence for n, sentence in enumerate(sentences) if n != gone)
    page = f'main\n  heading 1 "Question"\n  text: {shown}\n  [e1] textbox "Answer"'
    return replace(made, observations=[page] * len(made.observations))


def _procedure(rng: random.Random, name: SetName) -> LostEpisode:
    """Draw an episode that stopped without answering, went in circles, or submitted a different answer."""
    made, kind = _episode(rng, name), rng.random()
    if kind < STOPPED:
        return replace(made, reason="no_submission", answer=[])
    if kind < STOPPED + STUCK:
        return _spent(rng, name, repeated=rng.uniform(0.6, 0.95))
    (answer,) = made.answer
    other = rng.choice([answer[:-1], answer + answer[-1], answer[::-1], str(int(answer) + 1)])
    return replace(made, answer=[other if other != answer else f"{answer}0"])


def _misread(rng: random.Random, name: SetName) -> LostEpisode:
    """Draw an episode whose number differs from the page's; a reading probe may reveal it."""
    kind = rng.random()
    if kind < PROBED:
        return replace(_episode(rng, name), reading=rng.uniform(0.6, 0.99))
    return _episode(rng, name, slip=_garbled if kind < PROBED + GARBLED else _digit_slip)


def _digit_slip(rng: random.Random, number: str) -> str:
    place = rng.randrange(len(number))
    digit = rng.choice([digit for digit in "123456789" if digit != number[place]])
    return number[:place] + digit + number[place + 1 :]


def _garbled(rng: random.Random, number: str) -> str:
    return str(rng.randint(10_000, 99_999))


def _undetermined(rng: random.Random, name: SetName) -> LostEpisode:
    """Draw an episode whose thoughts mention nothing of what the model read."""
    return replace(_episode(rng, name), thoughts=[rng.choice(texts(name)["acts"])] * 2)


MAKERS: Mapping[str, Callable[[random.Random, SetName], LostEpisode]] = {
    "format": _format,
    "budget": _budget,
    "context": _context,
    "never_observed": _never_observed,
    "procedure": _procedure,
    "misread": _misread,
    "reasoning": _reasoning,
    "undetermined": _undetermined,
}
