"""History policies: which of the earlier observations a model is sent again.

The messages to send are a pure function of the opening messages and the turns so far, so that a conversation
can be rebuilt from its record. Completions and results of actions are always kept. Under every policy a page
that did not change since the turn before is one line, and so is a section that a page above shows in the same
words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from palaestra.grammars import Grammar
from palaestra.observation import Observation, observation_message
from palaestra.protocol.action_results import ActionResult
from palaestra.protocol.changes import outline_diff
from palaestra.protocol.folds import outline_folded, sections_of
from palaestra.protocol.histories import History
from palaestra.protocol.observations import OBSERVATION_FORMATS, has_picture
from palaestra.records import Message, Usage

UNCHANGED = "The page is as it was."
SAME_OUTLINE = "The outline is as it was."
LEFT_OUT = "(left out: an older page)"


@dataclass(frozen=True, kw_only=True)
class Turn:
    """One past turn: what was shown, None in arms without a page at their first turn, and the completion as
    it is recorded."""

    shown: Observation | None
    raw: str


@dataclass(frozen=True, kw_only=True)
class Past:
    """What an interrupted episode goes on from: its recorded ``turns``, ``steps`` (the number of the last),
    the result of the last action, for each turn its usage and whether its action could be read, the keys of
    the element ids, and whether a first answer was given."""

    turns: Sequence[Turn]
    steps: int
    used: Sequence[tuple[Usage | None, bool]]
    element_ids: Sequence[str] = ()
    is_answered: bool = False
    result: ActionResult | None = None
    result_message: str = ""


def messages_send(
    *,
    history: History,
    grammar: Grammar,
    opening: Sequence[Message],
    turns: Sequence[Turn],
    shown: Observation | None,
) -> list[Message]:
    """The messages to send now: ``opening``, the past ``turns``, and what is ``shown`` now, if anything."""
    observations = [turn.shown for turn in turns] + [shown]
    seen = iter(_sent([one for one in observations if one is not None], history=history))
    messages = list(opening)
    for place, observation in enumerate(observations):
        if place:
            messages.append(grammar.completion_message(turns[place - 1].raw))
        if observation is None:
            continue
        message = observation_message(next(seen))
        messages += grammar.result_messages(turns[place - 1].raw, message) if place else [message]
    return messages


def _sent(shown: Sequence[Observation], *, history: History) -> list[Observation]:
    """What each observation is sent as."""
    if history.policy.id == "last_k":
        first = max(0, len(shown) - (history.number or 1))
        # The first page that is kept stands whole: the one before it, which it may be like, is left out.
        return [_left_out(older) for older in shown[:first]] + _full(shown[first:])
    sent = _full(shown)
    if history.policy.id == "diff":
        sent[1:] = map(_changes, shown, shown[1:], sent[1:])
    return sent


def _full(shown: Sequence[Observation]) -> list[Observation]:
    """Each page without the sections that those above it show."""
    sent: list[Observation] = []
    above: set[str] = set()
    for place, now in enumerate(shown):
        if place and is_same_page(shown[place - 1], now):
            sent.append(_unchanged(now))
            continue
        sent.append(replace(now, text=outline_folded(now.text, above)) if _has_outline(now) else now)
        above |= sections_of(now.text)
    return sent


def _changes(before: Observation, now: Observation, sent: Observation) -> Observation:
    """What is ``sent`` of an outline, reduced to what changed where that is shorter."""
    if is_same_page(before, now) or not _has_outline(now):
        return sent
    difference = outline_diff(before.text, now.text) or SAME_OUTLINE
    return replace(now, text=min(difference, sent.text, key=len))


def _has_outline(observation: Observation) -> bool:
    form = OBSERVATION_FORMATS.get(observation.kind)
    return form is not None and form.has_text


def is_same_page(before: Observation, now: Observation) -> bool:
    """Whether a model would be shown the same again; false where there is nothing to see."""
    if not now.text and not _picture(now):
        return False
    return (before.kind, before.text, _picture(before)) == (now.kind, now.text, _picture(now))


def _picture(observation: Observation) -> bytes | None:
    return observation.screenshot if has_picture(observation.kind) else None


def _unchanged(observation: Observation) -> Observation:
    return replace(observation, text=UNCHANGED, screenshot=None)


def _left_out(observation: Observation) -> Observation:
    has_content = bool(observation.text or _picture(observation))
    return replace(observation, text=LEFT_OUT if has_content else "", screenshot=None)
