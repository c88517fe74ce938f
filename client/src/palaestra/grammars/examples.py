"""Examples in the messages about completions that could not be read.

An example names an element only if the page shows it and it suits the action; otherwise the id is left open.
Elements that the completion itself names come first. Any other element is a field or a link, because copying
the example must not answer the question.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from palaestra.protocol.actions import ID_OPEN
from palaestra.protocol.offers import Conditions, actions_offered, example_of

_LISTED = re.compile(r"^\s*(?:- )?\[(e\d+)\] (\w+)(?!.*\" .*\b(?:disabled|readonly)\b)", re.MULTILINE)
_ID = re.compile(r"\be\d+\b")
_FIELDS = frozenset({"textbox", "searchbox", "spinbutton"})
_FITTING = {"type": _FIELDS, "select": frozenset({"combobox", "listbox"})}
_SAFE = _FIELDS | {"link"}


def example_make(
    completion: str, conditions: Conditions, *, shown: str, kind: str = "click"
) -> dict[str, Any]:
    """Return an example of the action ``kind``, or of another offered action, as a JSON object.

    ``shown`` is the text of the observation before the completion.
    """
    offered = actions_offered(conditions)
    kinds = [each for each in (kind, "click", "answer", *offered) if each in offered]
    examples = ((each, example_of(each, conditions)) for each in kinds)
    kind, example = next(one for one in examples if not _names_others(one[1]))
    if "target" in example:
        example["target"] = next(_targets(kind, completion, shown), ID_OPEN)
    return example


def _names_others(example: dict[str, Any]) -> bool:
    """Return whether an example names elements other than its target, as the example of a drag does."""
    return ID_OPEN in json.dumps({**example, "target": ""})


def _targets(kind: str, completion: str, shown: str) -> Iterator[str]:
    """Yield the ids of elements on the page that suit an action."""
    roles = dict(_LISTED.findall(shown))
    fitting = _FITTING.get(kind, frozenset(roles.values()))
    yield from (id_ for id_ in reversed(_ID.findall(completion)) if roles.get(id_) in fitting)
    yield from (id_ for id_, role in roles.items() if role in _FITTING.get(kind, _SAFE))
