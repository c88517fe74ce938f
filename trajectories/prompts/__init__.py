"""Prompts of every arm, from versioned templates.

One ``task_instruction`` block, byte-identical in all arms, then the arm's own interface block: two arms
differ in nothing else. The instruction has paraphrases, crossed with tasks as looks are, and states the
format of an answer, which depends on the kind of question.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from django.conf import settings

from core.errors import GymError, did_you_mean
from tasks_app import figures
from tasks_app.questions import AnswerForm, question_text, questions
from tasks_app.variation import Arrangement, has_task_bar
from trajectories.models.episode import Arm
from trajectories.prompts import site_text

VERSION = "prompts-v2"
# Templates that groups still name; a folder of that name keeps what has been worded anew since.
FIRST_VERSION = "prompts-v1"
KEPT_FOLDERS = {FIRST_VERSION: "v1"}
VERSIONS = (FIRST_VERSION, VERSION)
INSTRUCTIONS = ("a", "b", "c")
BUILT_ARMS: dict[str, tuple[str, str]] = {
    Arm.TEXT_ZERO_SHOT: ("interface_text", "task_text"),
    Arm.TEXT_FEW_SHOT: ("interface_text", "task_text"),
    Arm.TEXT_AGENT: ("interface_agent", "task_text"),
    Arm.GYM: ("interface_agent", "task_page"),
    Arm.GYM_WITH_TEXT: ("interface_agent", "task_page_with_text"),
}
API_INTERFACE = "interface_agent_api"
UNTOLD_TASK = "task_untold"
ARMS_WITH_PAGE = frozenset({Arm.GYM, Arm.GYM_WITH_TEXT})
ARMS_WITH_QUESTION = frozenset(BUILT_ARMS) - {Arm.GYM}
FOLDER = Path(__file__).parent
ANSWER_WORD = "Answer:"
PLAIN_FENCE = "```"
LANGUAGES = {"program": "python", "block": ""}

Message = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Question:
    """A task as one episode shows it, in words.

    ``instruction`` and ``form`` choose the templates of its kind; ``pictures`` are SHA-256 of those in
    ``text``. ``fields`` are what the answer's values are called, where neither pages nor ``text`` tell it.
    """

    text: str
    is_on_page: bool = True
    fields: tuple[str, ...] = ()
    instruction: str = ""
    form: str = "line"
    pictures: frozenset[str] = frozenset()


@dataclass(frozen=True, kw_only=True)
class Solved:
    """A task and the completion that solves it."""

    question: Question
    reply: str


def question_of(
    *, kind: str, prompt: str, payload: Mapping[str, Any], arrangement: Arrangement | None = None
) -> Question:
    """The words of a task; ``prompt`` is what its kind says of the payload when nothing is arranged.

    Raises as ``telling.question_told`` does.
    """
    shown = questions.get(kind)
    if arrangement and site_text.TEXT_AXIS in arrangement:
        text = site_text.question_told(payload, arrangement[site_text.TEXT_AXIS])
    else:
        text = question_text(kind=kind, prompt=prompt, payload=payload, arrangement=arrangement)
    pictures = frozenset(figure.sha256 for figure in figures.figures_of(payload))
    is_on_page = has_task_bar(arrangement)
    is_named = is_on_page or site_text.TEXT_AXIS in (arrangement or {})
    return Question(
        text=text,
        is_on_page=is_on_page,
        fields=() if is_named else tuple(payload["fields"]),
        instruction=shown.instruction_of(payload),
        form=shown.form_of(payload),
        pictures=pictures,
    )


def arm_check(arm: str) -> None:
    """``GymError`` 422: ``unknown_arm`` with a suggestion, or ``arm_not_built``."""
    if arm not in Arm.values:
        raise GymError("unknown_arm", f"There is no arm {arm!r}. {did_you_mean(arm, Arm.values)}", status=422)
    if arm not in BUILT_ARMS:
        built = ", ".join(sorted(BUILT_ARMS))
        raise GymError("arm_not_built", f"The arm {arm!r} is not built yet. Built: {built}.", status=422)


def is_built(*, arm: str, template: str) -> bool:
    """Whether the messages of an episode can be made again: those of another program's template cannot."""
    return arm in BUILT_ARMS and template[:-1] in VERSIONS


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


def task_instruction(template: str, *, kind: str = "") -> str:
    """The block that is the same, byte for byte, in every arm; ``kind`` is a ``Question``'s instruction."""
    version, paraphrase = template[:-1], template[-1]
    return _read("_".join(part for part in ("instruction", kind, paraphrase) if part), version=version)


def messages_for(
    *,
    arm: str,
    template: str,
    question: Question,
    max_steps: int,
    channel: str = "page",
    solved: Sequence[Solved] = (),
) -> list[Message]:
    """Chat messages (``role``, ``content``) that open an episode; pure, so a page can make them again.

    ``content`` is a text, or a list of text and picture parts where the question has pictures. ``channel``
    (``page``, ``api``) is where the answer is handed in, in arms with a page. Each of ``solved`` is a turn of
    the user and one of the assistant before the question.
    """
    interface, task = _templates(arm, version=template[:-1], channel=channel, is_on_page=question.is_on_page)
    instruction = task_instruction(template, kind=question.instruction)
    system = (
        instruction + "\n\n" + _interface(interface, question.form).replace("{max_steps}", str(max_steps))
    )
    messages: list[Message] = [{"role": "system", "content": system}]
    for one in solved:
        messages += (_asked(task, one.question), {"role": "assistant", "content": one.reply})
    return [*messages, _asked(task, question)]


def reply_of(*, form: AnswerForm, answer: str | Sequence[str], solution: str) -> str:
    """A completion in the form that the interface block asks for: the worked solution, then the answer.

    A bar inside one of several values is written ``\\|``, as clients read it.
    """
    values = [answer] if isinstance(answer, str) else list(answer)
    if form in ("program", "block"):
        program = "\n".join(values).strip("\n")
        fence = PLAIN_FENCE
        while fence in program:
            fence += "`"
        given = f"{ANSWER_WORD}\n{fence}{LANGUAGES[form]}\n{program}\n{fence}"
    else:
        plain = [" ".join(value.split()) for value in values]
        cut = [value.replace("|", "\\|") for value in plain] if form == "values" else plain
        given = f"{ANSWER_WORD} {' | '.join(cut)}"
    is_worked = bool(solution.strip()) and solution.strip() != "\n".join(values).strip()
    return f"{solution.strip()}\n\n{given}" if is_worked else given


def messages_ref(messages: Sequence[Message]) -> str:
    """A short name for equal messages, so that they are sent once."""
    return hashlib.sha256(msgspec.json.encode(messages)).hexdigest()[:16]


def length_of(message: Message) -> int:
    """Characters of a message; pictures are sent as addresses and have none."""
    content = message["content"]
    return len(content) if isinstance(content, str) else sum(len(part.get("text", "")) for part in content)


def _templates(arm: str, *, version: str, channel: str, is_on_page: bool) -> tuple[str, str]:
    """Those of the interface block and of the task; the first version knew of no channels."""
    interface, task = BUILT_ARMS[Arm(arm)]
    if version == FIRST_VERSION or arm not in ARMS_WITH_PAGE:
        return interface, task
    return (API_INTERFACE if channel == "api" else interface, task if is_on_page else UNTOLD_TASK)


def _asked(template: str, question: Question) -> Message:
    text = question.text
    if template == UNTOLD_TASK and question.fields:
        text = f"{text}\n\n{site_text.fields_told(question.fields)}"
    asked = _read(template).replace("{question}", text)
    return {"role": "user", "content": _content(asked, question.pictures)}


def _content(text: str, pictures: frozenset[str]) -> str | list[dict[str, Any]]:
    parts = list(_parts(text, pictures))
    return text if all(part["type"] == "text" for part in parts) else parts


def _parts(text: str, pictures: frozenset[str]) -> Iterator[dict[str, Any]]:
    end = 0
    for found in figures.MARKDOWN.finditer(text):
        if found[1] not in pictures:
            continue
        if text[end : found.start()].strip():
            yield {"type": "text", "text": text[end : found.start()].strip()}
        yield {"type": "image_url", "image_url": {"url": f"{settings.LAB_URL}/api/v1/blobs/{found[1]}"}}
        end = found.end()
    if text[end:].strip():
        yield {"type": "text", "text": text[end:].strip()}


def _interface(name: str, form: str) -> str:
    """How this arm takes an answer of this form; most arms take all forms alike."""
    special = f"{name}_{form}"
    return _read(special if (FOLDER / f"{special}.txt").is_file() else name)


@cache
def _read(name: str, *, version: str = VERSION) -> str:
    kept = FOLDER / KEPT_FOLDERS.get(version, "") / f"{name}.txt"
    return (kept if kept.is_file() else FOLDER / f"{name}.txt").read_text(encoding="utf-8").strip()
