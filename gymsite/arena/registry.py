"""Question kinds register here: one file of ``gymsite/arena/questions`` is one kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from gymsite.core.registry import Registry


class Rendering(Protocol):
    """Makes a template's context of a task's payload. Pure; never sees a gold."""

    def __call__(self, payload: Mapping[str, object], /) -> Mapping[str, object]: ...


@dataclass(frozen=True, kw_only=True)
class QuestionKind:
    """How one kind of question is shown: a template and the function that fills it."""

    template: str
    render: Rendering


questions: Registry[QuestionKind] = Registry("question kind")


def load() -> None:
    """Import every question kind; one that fails to import stops the start."""
    from gymsite.arena import questions as package

    questions.discover(package)
