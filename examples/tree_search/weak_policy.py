"""A weak simulated policy, which looks the answer up but errs while it submits it.

It enters each right value with probability ``skill`` and otherwise another task's value; some of its turns do
nothing. Its next action depends only on the page, so it can continue in any fork.
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
    """The policy; ``answers`` maps tasks to their right values."""

    def __init__(self, answers: Mapping[int, Sequence[str]], *, skill: float, seed: int | str) -> None:
        self._answers, self._skill, self._chance = answers, skill, random.Random(seed)

    def complete(self, page: str, *, task: int, labels: Sequence[str]) -> str:
        """Return the next completion on a page. ``labels`` name the form's fields in order."""
        if self._chance.random() < IDLE:
            return _write_completion("I look again.", type="wait", ms=1)
        fields = [_find_field(page, label) for label in labels]
        if None in fields:
            opener = next((target for target, name in BUTTON.findall(page) if SUBMIT.search(name)), None)
            if opener is None:
                return _write_completion("I see no form.", type="give_up", reason="no form")
            return _write_completion("I open the form.", type="click", target=opener)
        for index, (target, value) in enumerate(filter(None, fields)):
            if not value:
                text = self._choose_value(task, index)
                return _write_completion(f"I take {text}.", type="type", target=target, text=text)
        after = page[page.rindex(f"[{fields[-1][0]}]") :] if fields[-1] else page  # type: ignore[index]
        submit = next((target for target, _ in BUTTON.findall(after)), None)
        if submit is None:
            return _write_completion("I see no button.", type="give_up", reason="no button")
        return _write_completion("I submit what is there.", type="click", target=submit)

    def _choose_value(self, task: int, index: int) -> str:
        if self._chance.random() < self._skill:
            return self._answers[task][index]
        others = sorted({values[index] for values in self._answers.values()} - {self._answers[task][index]})
        return self._chance.choice(others) if others else "0"


def _find_field(page: str, label: str) -> tuple[str, str] | None:
    pattern = re.compile(rf'\[(e\d+)\] textbox "{re.escape(label)}.*?" value="(.*?)"')
    match = pattern.search(page)
    return (match[1], match[2]) if match else None


def _write_completion(thought: str, **action: Any) -> str:
    return f"{thought}\nAction: {json.dumps(action)}"
