"""Labels by the thought ribbon's rules, which derive a unit's answers from the classes of its sentences.

A label by rules has fewer answers than a person's: the rules answer only some fields, and only if the
project's codebook has the field and its answers under the ids that they use.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from trajectories.annotation.codebook.types import Codebook
from trajectories.annotation.labels.answers import Answers
from trajectories.behaviour.thoughts import codebook as classes
from trajectories.behaviour.thoughts import rules
from trajectories.behaviour.thoughts.reader import Classed
from trajectories.models import AnnotationUnit

# Maps classes of sentences to the behaviours that they show.
BEHAVIOURS = {"plan": "plan", "check": "verify", "revise": "revise"}
SAYS_NOTHING = "other"
REASONING = frozenset(one.id for one in classes.codebook().classes if one.is_reasoning)
VERSION_CHARS = 8


def hash_rules() -> str:
    """Hash the rules, their words and this module, so that any change counts as another annotator."""
    room = Path(rules.__file__).parent
    files = [*sorted(room.glob("*.py")), *sorted(room.glob("c*.toml")), Path(__file__)]
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:VERSION_CHARS]


def answer_by_rules(read: Sequence[Classed] | None, *, unit: AnnotationUnit, codebook: Codebook) -> Answers:
    """Return the rules' answers about a unit.

    ``read`` are the classified sentences of the unit's step, or None if its thought is hidden.
    """
    if read is None:
        return _known({"type": "hidden"}, [], codebook)
    counted = [
        sentence
        for sentence in read
        if unit.begin <= sentence.begin and sentence.end <= unit.end and sentence.kind != SAYS_NOTHING
    ]
    if not counted:
        return _known({"type": "empty"}, [], codebook)
    reasoning = [sentence for sentence in counted if sentence.kind in REASONING]
    kind = "mixed" if 0 < len(reasoning) < len(counted) else "reasoning" if reasoning else "narration"
    kinds = {sentence.kind for sentence in counted}
    behaviours = [name for of_class, name in BEHAVIOURS.items() if of_class in kinds]
    spans = [[one.begin, one.end] for one in reasoning] if kind == "mixed" else []
    return _known({"type": kind, "behaviours": behaviours}, spans, codebook)


def _known(values: dict[str, Any], spans: list[list[int]], codebook: Codebook) -> Answers:
    """Keep the answers to fields that this codebook has with all their possible answers."""
    known = {field.id: {option.id for option in field.options} for field in codebook.fields}
    usable: dict[str, Any] = {}
    for name, value in values.items():
        given = value if isinstance(value, list) else [value]
        if name in known and known[name].issuperset(BEHAVIOURS.values() if name == "behaviours" else given):
            usable[name] = value
    return Answers(values=usable, spans=spans if "type" in usable else [])
