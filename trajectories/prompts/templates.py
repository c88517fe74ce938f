"""Prompt templates, a folder per version: a group keeps the words that it was opened with.

One task instruction, byte-identical in all arms, then the arm's own interface block: two arms differ in
nothing else. The instruction has paraphrases, crossed with tasks as looks are; it states the format of the
answer, which depends on the kind of question.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from core.errors import GymError, did_you_mean

VERSION = "prompts-v3"
PARAPHRASES = ("a", "b", "c")
FOLDER = Path(__file__).parent
ANSWER_EXAMPLES = {"values": '["...", "..."]'}


@dataclass(frozen=True)
class Template:
    """``id`` is a version and the letter of a paraphrase."""

    id: str

    @property
    def folder(self) -> Path:
        return FOLDER / self.id[:-1].removeprefix("prompts-")

    @property
    def is_known(self) -> bool:
        """False for a template that only another version of this program has."""
        return self.folder != FOLDER and self.folder.is_dir()

    def read(self, name: str) -> str:
        return _read(self.folder / f"{name}.txt")

    def instruction(self, kind: str = "") -> str:
        """The block that all arms share; ``kind`` is a ``Question``'s instruction."""
        return self.read("_".join(filter(None, ("instruction", kind, self.id[-1]))))

    def text_interface(self, form: str) -> str:
        """How a free-text completion ends, by the form of the answer."""
        return self._special("interface_text", form)

    def agent_interface(self, form: str, *, max_steps: int, channel: str) -> str:
        """The action grammar, and where the answer is submitted: through the page or by an action."""
        text = self.read("interface_agent").replace("{max_steps}", str(max_steps))
        text = text.replace("{answer}", ANSWER_EXAMPLES.get(form, '"..."'))
        return text.replace("{submission}", self._special(f"submission_{channel}", form))

    def _special(self, name: str, form: str) -> str:
        """The text for this form of answer if there is one, else the general one."""
        special = f"{name}_{form}"
        return self.read(special if (self.folder / f"{special}.txt").is_file() else name)


def template_for(*, seed: int, instruction: object = None) -> str:
    """The id of a template of this version: one paraphrase, drawn by ``seed`` or named."""
    if instruction is None:
        digest = hashlib.sha256(f"{VERSION}:{seed}".encode()).digest()
        instruction = PARAPHRASES[digest[0] % len(PARAPHRASES)]
    elif instruction not in PARAPHRASES:
        hint = did_you_mean(str(instruction), PARAPHRASES)
        message = f"There is no task instruction {instruction!r}. {hint}"
        raise GymError("unknown_instruction", message, status=422, fields={"presentation": [message]})
    return f"{VERSION}{instruction}"


@cache
def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8").strip()
