"""History policies: which of the earlier observations a model is sent again.

The messages to send are a pure function of the opening messages and the turns so far, so that a conversation
can be rebuilt from its record. Completions and results of actions are always kept. Under every policy a page
that did not change since the turn before is one line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from palaestra.grammars import Grammar
from palaestra.observation import Observation, has_picture, observation_message
from palaestra.records import Message
from palaestra.setups import History

UNCHANGED = "The page is as it was."
LEFT_OUT = "(left out: an older page)"


@dataclass(frozen=True, kw_only=True)
class Turn:
    """One past turn: what was shown, None in arms without a page at their first turn, and the completion as
    it is recorded."""

    shown: Observation | None
    raw: str


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
    return _full(shown)


def _full(shown: Sequence[Observation]) -> list[Observation]:
    return [
        _unchanged(now) if place and is_same_page(shown[place - 1], now) else now
        for place, now in enumerate(shown)
    ]


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
