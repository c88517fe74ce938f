"""Registry of question kinds. Each file in ``gymsite/arena/questions`` is one kind.

The registry is in this layer so that code that opens an episode can ask a kind for its text without depending
on the arena. Everything here is pure and public: no kind ever sees a gold.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from core.episodes.presentation import Look
from core.registry import Registry
from palaestra.protocol.answers import AnswerForm
from palaestra.protocol.looks import PageKind
from tasks_app.variation import Variation, get_tools, payload_shown

Payload = Mapping[str, Any]
Answer = str | Sequence[str]
CALLS_MAX = 20
"""Maximum number of tool calls per episode, in any arm."""


@dataclass(frozen=True, kw_only=True)
class ToolCall:
    """The last tool call of an episode, as the episode may see it.

    ``input`` is the call's arguments as text. ``state`` is ``lost`` if no result arrived in time. ``output``
    is the tool's result. ``used`` counts the episode's calls except lost ones, and ``limit`` is the maximum.
    """

    number: int
    tool: str
    input: str
    state: Literal["waiting", "done", "lost"]
    output: Mapping[str, Any]
    used: int
    limit: int


@dataclass(frozen=True, kw_only=True)
class Visit:
    """Inputs of a page besides the task.

    ``tools`` are the tools granted to the episode. ``query`` holds the request's parameters, which the agent
    controls and which may be anything. ``answers`` were typed before the page was shown again. ``call`` is
    the last tool call.
    """

    tools: frozenset[str] = frozenset()
    query: Mapping[str, str] = field(default_factory=dict)
    answers: tuple[str, ...] = ()
    call: ToolCall | None = None


@dataclass(frozen=True, kw_only=True)
class Move:
    """One action of a scripted client on a page, located by accessible role and name.

    ``name`` None matches any name. ``place`` is the index among the matches, from 0, or from the end if
    negative.
    """

    act: Literal["type", "choose", "press"]
    role: str
    name: str | None = None
    place: int = 0
    text: str = ""


SUBMIT = Move(act="press", role="button", place=-1)


@dataclass(frozen=True, kw_only=True)
class QuestionKind:
    """One kind of question in all its forms.

    - ``render`` builds the template's context; ``form_template`` is the form alone, which a look may place
      elsewhere.
    - ``text`` is Markdown for arms without a page, with ``![Figure k](blob:<sha256>)`` for a picture.
    - ``axtree_text`` is what an axtree observation of the page must contain between heading and button, apart
      from white space.
    - ``transcript`` is the question as typed out by a reader, without its pictures, or None if it has more
      than one page.
    - ``moves`` are a scripted client's actions to submit an answer; ``more_moves`` counts what a look adds to
      ``Task.oracle_steps``.
    - ``instruction`` names the paraphrases of the answer format in ``trajectories/record/prompts``.
    - ``tools`` can be offered by its page and granted by a run; ``own_tools`` belong to a question.
    - ``has_text`` tells whether arms without a page can pose the question; ``pages`` names the axes of its
      looks.
    """

    template: str
    render: Callable[[Payload, Visit], Mapping[str, object]]
    text: Callable[[Payload], str]
    axtree_text: Callable[[Payload], str]
    moves: Callable[[Payload, Answer], tuple[Move, ...]]
    answer_form: AnswerForm = "line"
    instruction: str = ""
    tools: frozenset[str] = frozenset()
    own_tools: Callable[[Payload], tuple[str, ...]] = lambda _payload: ()
    has_text: Callable[[Payload], bool] = lambda _payload: True
    pages: PageKind = "question"
    more_moves: Callable[[Payload, Look], int] = lambda _payload, _look: 0
    form_template: str = ""
    transcript: Callable[[Payload], str] | None = None

    def instruction_of(self, payload: Payload) -> str:
        """Return the name of the paraphrases that describe this question's answer format."""
        return "lines" if payload.get("answer_lines") else self.instruction

    def form_of(self, payload: Payload) -> AnswerForm:
        """Return the form of this question's answer; a puzzle may ask for a whole board."""
        return "block" if payload.get("answer_lines") else self.answer_form


questions: Registry[QuestionKind] = Registry("question kind")


def question_text(*, kind: str, prompt: str, payload: Payload, variation: Variation | None) -> str:
    """Return a task's question as the text that an episode posed, with its choice order and visible asserts.

    ``prompt`` is the stored text, which is returned without a variation or if the kind no longer exists.
    """
    if not variation or kind not in questions:
        return prompt
    return questions.get(kind).text(payload_shown(payload, variation))


def question_tools(*, kind: str, payload: Payload, variation: Variation | None) -> tuple[str, ...]:
    """List the question's own tools that the episode may call, in the order of its page."""
    granted = get_tools(variation)
    own = questions.get(kind).own_tools(payload) if granted and kind in questions else ()
    return tuple(tool for tool in own if tool in granted)
