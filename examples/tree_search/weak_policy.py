"""A weak policy that is no model: it looks the answer up, and errs at every step of handing it in.

Of each value it takes the right one with the chance ``skill``, and otherwise that of another task; some of
its turns do nothing. What it does next follows from the page alone, so that it can go on in any fork.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping, Sequence
from typing import Any

BUTTON = re.compile(r'\[(e\d+)\] button "(.*?)"')
SUBMIT = re.compile(r"submit|send|answer|done|hand in", re.IGNORECASE)
IDLE = 0.1


class WeakPolicy:
    """``answers`` are the right values by task; ``labels`` name the fields of the form, in their order."""

    def __init__(self, answers: Mapping[int, Sequence[str]], *, skill: float, seed: int | str) -> None:
        self._answers, self._skill, self._chance = answers, skill, random.Random(seed)

    def complete(self, page: str, *, task: int, labels: Sequence[str]) -> str:
        """The next completion on a page."""
        if self._chance.random() < IDLE:
            return _completion("I look again.", type="wait", ms=1)
        fields = [_field(page, label) for label in labels]
        if None in fields:
            opener = next((one for one, name in BUTTON.findall(page) if SUBMIT.search(name)), None)
            if opener is None:
                return _completion("I see no form.", type="give_up", reason="no form")
            return _completion("I open the form.", type="click", target=opener)
        for place, (target, value) in enumerate(filter(None, fields)):
            if not value:
                text = self._value(task, place)
                return _completion(f"I take {text}.", type="type", target=target, text=text)
        after = page[page.rindex(f"[{fields[-1][0]}]") :] if fields[-1] else page  # type: ignore[index]
        submit = next((one for one, _ in BUTTON.findall(after)), None)
        if submit is None:
            return _completion("I see no button.", type="give_up", reason="no button")
        return _completion("I submit what is there.", type="click", target=submit)

    def _value(self, task: int, place: int) -> str:
        if self._chance.random() < self._skill:
            return self._answers[task][place]
        others = sorted({values[place] for values in self._answers.values()} - {self._answers[task][place]})
        return self._chance.choice(others) if others else "0"


def _field(page: str, label: str) -> tuple[str, str] | None:
    pattern = re.compile(rf'\[(e\d+)\] textbox "{re.escape(label)}.*?" value="(.*?)"')
    match = pattern.search(page)
    return (match[1], match[2]) if match else None


def _completion(thought: str, **action: Any) -> str:
    return f"{thought}\nAction: {json.dumps(action)}"
