"""Prompt templates, one file per version. A group keeps the version with which it was opened.

All arms share one task instruction, which is identical byte for byte. The arm's own interface block follows
it, and two arms differ in nothing else. The instruction has paraphrases, crossed with tasks in the same way
as looks. It states the format of the answer, which depends on the kind of question.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from msgspec import Struct

from core.errors import GymError
from core.text.toml import toml_load
from palaestra.protocol.actions import Condition
from palaestra.protocol.suggestions import did_you_mean

VERSION = "prompts-v7"
PARAPHRASES = ("a", "b", "c")
FOLDER = Path(__file__).parent


class Call(Struct, frozen=True, forbid_unknown_fields=True):
    """Syntax of a call that declares an action of ``type``.

    The call is offered when the action is and all conditions in ``needs`` hold. ``values`` is the syntax used
    if the answer is a list of values. ``does`` overrides the action's own description if the call does less
    or more.
    """

    type: str
    call: str
    values: str = ""
    needs: tuple[Condition, ...] = ()
    does: str = ""


class Words(Struct, frozen=True, eq=False, forbid_unknown_fields=True):
    """The texts of one version, by subject and then by case. Each version is loaded as one object."""

    instructions: Mapping[str, str]
    answers: Mapping[str, str]
    transcription: str
    endings: Mapping[str, str]
    tasks: Mapping[str, str]
    turns: Mapping[str, str]
    acts: Mapping[str, str]
    acts_several: Mapping[str, str]
    lessons: Mapping[str, str]
    observations: Mapping[str, str]
    shortened: Mapping[str, str]
    aims: Mapping[str, str]
    submissions: Mapping[str, str]
    names: Mapping[str, str]
    limits: Mapping[str, str]
    histories: Mapping[str, str]
    tools: Mapping[str, str]
    calls: Sequence[Call]


@dataclass(frozen=True)
class Template:
    """A prompt template. ``id`` is a version followed by the letter of a paraphrase."""

    id: str

    @property
    def is_known(self) -> bool:
        """False for a template that exists only in another version of this program."""
        return self.id[-1:] in PARAPHRASES and _file(FOLDER, self.id[:-1]).is_file()

    @property
    def words(self) -> Words:
        return _read(FOLDER, self.id[:-1])

    def instruction(self, kind: str = "") -> str:
        """Return the block that all arms share; ``kind`` is a ``Question``'s ``instruction``."""
        return self.words.instructions[self.id[-1]].format(answer=self.words.answers[kind or "line"])


def template_for(*, seed: int, instruction: object = None) -> str:
    """Return the id of a template of this version, with the named paraphrase or one drawn by ``seed``.

    Raises ``GymError`` 422 ``unknown_instruction``.
    """
    if instruction is None:
        digest = hashlib.sha256(f"{VERSION}:{seed}".encode()).digest()
        instruction = PARAPHRASES[digest[0] % len(PARAPHRASES)]
    elif instruction not in PARAPHRASES:
        hint = did_you_mean(str(instruction), PARAPHRASES)
        message = f"There is no task instruction {instruction!r}. {hint}"
        raise GymError("unknown_instruction", message, status=422, fields={"presentation": [message]})
    return f"{VERSION}{instruction}"


def _file(folder: Path, version: str) -> Path:
    return folder / f"{version.removeprefix('prompts-')}.toml"


@cache
def _read(folder: Path, version: str) -> Words:
    return toml_load(_file(folder, version), Words)
