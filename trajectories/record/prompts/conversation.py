"""The messages that open an episode, in every arm."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import msgspec
from django.conf import settings

from core.errors import GymError
from palaestra.protocol.answers import AnswerForm
from palaestra.protocol.arms import Arm
from palaestra.protocol.suggestions import did_you_mean
from tasks_app import figures, kinds
from tasks_app.questions import question_text, question_tools, questions
from tasks_app.tools import calls
from tasks_app.tools.types import Field, Tool
from tasks_app.variation import Variation, get_picture, has_task_bar, payload_shown
from tasks_app.worlds import text_view
from trajectories.record.prompts import interface
from trajectories.record.prompts.interface import Setup
from trajectories.record.prompts.templates import Template, Words

TEXT_AXIS = "text"
RELEVANT: text_view.Form = "relevant"
ANSWER_WORD = "Answer:"
PLAIN_FENCE = "```"
LANGUAGES = {"program": "python", "block": ""}
Message = dict[str, Any]


def form_read(axis: object) -> text_view.Form:
    """Return the text form that ``presentation`` names, or ``relevant`` if it names none.

    Raises ``GymError`` 422 ``unknown_text_form``.
    """
    forms: tuple[text_view.Form, ...] = get_args(text_view.Form)
    for form in forms:
        if axis == form:
            return form
    if axis is None:
        return RELEVANT
    message = f"There is no form {axis!r} of a site's text. {did_you_mean(str(axis), forms)}"
    raise GymError("unknown_text_form", message, status=422, fields={"presentation": [message]})


def text_variation(payload: Mapping[str, Any], form: text_view.Form) -> dict[str, text_view.Form]:
    """Return the text form as an entry of a variation; empty for a task whose text includes no site."""
    return {TEXT_AXIS: form} if text_view.SCOPE in payload else {}


def question_with_site(payload: Mapping[str, Any], form: text_view.Form) -> str:
    """Return the site's text, the wording of the task, and the names of the answer's fields.

    Raises ``GymError`` 422 ``other_world_salt`` for a task that another installation made.
    """
    try:
        site = text_view.world_text(payload, form=form, salt=settings.WORLD_SALT)
    except ValueError as error:
        raise GymError("other_world_salt", str(error), status=422) from error
    return f"{site}\n\n# Problem\n\n{payload['text']}\n\n{fields_line(payload['fields'])}"


def fields_line(fields: Iterable[str]) -> str:
    """Return the line that names the answer's values as the site's pages name them."""
    return f"The values of the answer, in this order: {' | '.join(fields)}"


def tools_block(words: Words, tools: Sequence[str]) -> str:
    """Return the paragraph that lists tools and their arguments, in the order of the given ids."""
    return "\n".join([words.tools["head"], *(_line(words, calls.get_tool(tool)) for tool in tools)])


def _line(words: Words, tool: Tool) -> str:
    arguments = "; ".join(_argument(words, field) for field in tool.fields)
    return words.tools["tool"].format(
        id=tool.id, title=tool.title, description=tool.description, arguments=arguments
    )


def _argument(words: Words, field: Field) -> str:
    return words.tools["argument"].format(name=field.name, described=", ".join(_described(words, field)))


def _described(words: Words, field: Field) -> Iterator[str]:
    yield field.label[0].lower() + field.label[1:]
    if field.options:
        yield words.tools["options"].format(options=", ".join(field.options))
    elif field.hint:
        yield field.hint


@dataclass(frozen=True, kw_only=True)
class Question:
    """A task as the text that one episode shows.

    ``instruction`` and ``form`` choose the templates; ``pictures`` are the SHA-256 hashes of the pictures in
    ``text``. ``fields`` are the names of the answer's values, given only if neither the pages nor ``text``
    contain them. ``tools`` are the ids of the task's own tools, in the order of its page.
    """

    text: str
    is_on_page: bool = True
    fields: tuple[str, ...] = ()
    instruction: str = ""
    form: AnswerForm = "line"
    is_site: bool = False
    pictures: frozenset[str] = frozenset()
    tools: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Example:
    """A solved task: the question and a completion that answers it."""

    question: Question
    reply: str


def question_of(
    *, kind: str, prompt: str, payload: Mapping[str, Any], variation: Variation | None = None
) -> Question:
    """Return a task's question; ``prompt`` is the stored text, for an episode without variation.

    Raises the errors of ``question_with_site``.
    """
    plugin = questions.get(kind)
    if variation and TEXT_AXIS in variation:
        text = question_with_site(payload, variation[TEXT_AXIS])
    else:
        text = question_text(kind=kind, prompt=prompt, payload=payload, variation=variation)
    shown = payload_shown(payload, variation)
    if get_picture(variation):
        text = "\n".join(figure.markdown for figure in figures.list_figures(shown))
    pictures = frozenset(figure.sha256 for figure in figures.list_figures(shown))
    is_on_page = has_task_bar(variation)
    is_named = is_on_page or TEXT_AXIS in (variation or {})
    return Question(
        text=text,
        is_on_page=is_on_page,
        fields=() if is_named else tuple(payload["fields"]),
        instruction=plugin.instruction_of(payload),
        form=plugin.form_of(payload),
        is_site=kind == kinds.SITE,
        pictures=pictures,
        tools=question_tools(kind=kind, payload=payload, variation=variation),
    )


def messages_for(
    *,
    template: str,
    setup: Setup,
    question: Question,
    max_steps: int,
    token_budget: int | None = None,
    examples: Sequence[Example] = (),
) -> list[Message]:
    """Build the chat messages (``role``, ``content``) that open an episode.

    The function is pure, so that pages can rebuild the messages. ``content`` is a text, or a list of text and
    picture parts if the question has pictures. Each of ``examples`` adds a user turn and an assistant turn
    before the question.
    """
    words, arm = Template(template), setup.arm
    form = answer_form(arm, question.form)
    tools = question.tools if arm.calls_tools else ()
    if arm.is_free_text:
        blocks: tuple[str, ...] = (words.words.endings[form],)
    else:
        blocks = interface.agent_blocks(
            words.words,
            setup,
            form=form,
            is_site=question.is_site,
            has_tools=bool(tools),
            max_steps=max_steps,
        )
    instruction = words.words.transcription if arm.is_probe else words.instruction(question.instruction)
    system = [instruction, *blocks, *([tools_block(words.words, tools)] if tools else [])]
    if token_budget is not None:
        system.append(words.words.limits["tokens"].format(tokens=f"{token_budget:,}"))
    messages: list[Message] = [{"role": "system", "content": "\n\n".join(system)}]
    for example in examples:
        messages.append(_question_message(words, arm, example.question))
        messages.append({"role": "assistant", "content": example.reply})
    return [*messages, _question_message(words, arm, question)]


def answer_form(arm: Arm, form: AnswerForm) -> AnswerForm:
    """Return the form in which an arm takes an answer to a question of ``form``.

    A reading probe always takes lines.
    """
    return "block" if arm.is_probe else form


def build_reply(*, form: AnswerForm, answer: str | Sequence[str], solution: str) -> str:
    """Return a completion in the form that the interface block requests: worked solution, then answer.

    If the answer has several values, a bar within one of them is written as ``\\|``, as clients expect.
    """
    values = [answer] if isinstance(answer, str) else list(answer)
    if form in ("program", "block"):
        program = "\n".join(values).strip("\n")
        fence = PLAIN_FENCE
        while fence in program:
            fence += "`"
        final = f"{ANSWER_WORD}\n{fence}{LANGUAGES[form]}\n{program}\n{fence}"
    else:
        plain = [" ".join(value.split()) for value in values]
        escaped = [value.replace("|", "\\|") for value in plain] if form == "values" else plain
        final = f"{ANSWER_WORD} {' | '.join(escaped)}"
    is_worked = bool(solution.strip()) and solution.strip() != "\n".join(values).strip()
    return f"{solution.strip()}\n\n{final}" if is_worked else final


def messages_ref(messages: Sequence[Message]) -> str:
    """Return a short name that equal messages share, so that they are sent only once."""
    return hashlib.sha256(msgspec.json.encode(messages)).hexdigest()[:16]


def measure_length(message: Message) -> int:
    """Return a message's length in characters. Pictures count as 0, because they are sent as addresses."""
    content = message["content"]
    return len(content) if isinstance(content, str) else sum(len(part.get("text", "")) for part in content)


def _question_message(words: Template, arm: Arm, question: Question) -> Message:
    text = question.text
    if arm.has_page and question.fields:
        text = f"{text}\n\n{fields_line(question.fields)}"
    task = words.words.tasks[_task_words(arm, question)].strip().replace("{question}", text)
    return {"role": "user", "content": _content(task, question.pictures)}


def _task_words(arm: Arm, question: Question) -> str:
    if not arm.has_page:
        return "text"
    if arm.is_probe:
        return "probe"
    if not question.is_on_page:
        return "off_page"
    if arm.has_text:
        return "page_with_text"
    return "site" if question.is_site else "page"


def _content(text: str, pictures: frozenset[str]) -> str | list[dict[str, Any]]:
    parts = list(_parts(text, pictures))
    return text if all(part["type"] == "text" for part in parts) else parts


def _parts(text: str, pictures: frozenset[str]) -> Iterator[dict[str, Any]]:
    end = 0
    for match in figures.MARKDOWN.finditer(text):
        if match[1] not in pictures:
            continue
        if text[end : match.start()].strip():
            yield {"type": "text", "text": text[end : match.start()].strip()}
        yield {"type": "image_url", "image_url": {"url": blob_address(match[1])}}
        end = match.end()
    if text[end:].strip():
        yield {"type": "text", "text": text[end:].strip()}


def blob_address(sha256: str) -> str:
    """Return the lab's path to a picture."""
    return f"{settings.LAB_URL}/api/v1/blobs/{sha256}"
