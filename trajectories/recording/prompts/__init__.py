"""Prompts of every arm, from versioned templates.

One ``task_instruction`` block, byte-identical in all arms, then the arm's own interface block: two arms
differ in nothing else. The instruction has paraphrases, crossed with tasks as looks are.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

import msgspec

from gymsite.core.errors import GymError, did_you_mean
from trajectories.models.episode import Arm

VERSION = "prompts-v1"
INSTRUCTIONS = ("a", "b", "c")
BUILT_ARMS: dict[str, tuple[str, str]] = {
    Arm.TEXT_ZERO_SHOT: ("interface_text", "task_text"),
    Arm.TEXT_AGENT: ("interface_agent", "task_text"),
    Arm.GYM: ("interface_agent", "task_page"),
    Arm.GYM_WITH_TEXT: ("interface_agent", "task_page_with_text"),
}
ARMS_WITH_PAGE = frozenset({Arm.GYM, Arm.GYM_WITH_TEXT})

Message = dict[str, str]


def arm_check(arm: str) -> None:
    """``GymError`` 422: ``unknown_arm`` with a suggestion, or ``arm_not_built``."""
    if arm not in Arm.values:
        raise GymError("unknown_arm", f"There is no arm {arm!r}. {did_you_mean(arm, Arm.values)}", status=422)
    if arm not in BUILT_ARMS:
        built = ", ".join(sorted(BUILT_ARMS))
        raise GymError("arm_not_built", f"The arm {arm!r} is not built yet. Built: {built}.", status=422)


def template_for(*, seed: int, instruction: object = None) -> str:
    """The id of a prompt template: the version and one paraphrase, drawn by ``seed`` or named."""
    if instruction is None:
        digest = hashlib.sha256(f"{VERSION}:{seed}".encode()).digest()
        instruction = INSTRUCTIONS[digest[0] % len(INSTRUCTIONS)]
    elif instruction not in INSTRUCTIONS:
        hint = did_you_mean(str(instruction), INSTRUCTIONS)
        message = f"There is no task instruction {instruction!r}. {hint}"
        raise GymError("unknown_instruction", message, status=422, fields={"presentation": [message]})
    return f"{VERSION}{instruction}"


def task_instruction(template: str) -> str:
    """The block that is the same, byte for byte, in every arm."""
    return _read(f"instruction_{template.removeprefix(VERSION)}")


def messages_for(*, arm: str, template: str, question: str, max_steps: int) -> list[Message]:
    """Chat messages (``role``, ``content``) that open an episode; pure, so a page can make them again."""
    interface, task = BUILT_ARMS[Arm(arm)]
    system = task_instruction(template) + "\n\n" + _read(interface).replace("{max_steps}", str(max_steps))
    return [
        {"role": "system", "content": system},
        {"role": "user", "content": _read(task).replace("{question}", question)},
    ]


def messages_ref(messages: list[Message]) -> str:
    """A short name for equal messages, so that they are sent once."""
    return hashlib.sha256(msgspec.json.encode(messages)).hexdigest()[:16]


@cache
def _read(name: str) -> str:
    return (Path(__file__).parent / f"{name}.txt").read_text(encoding="utf-8").strip()
