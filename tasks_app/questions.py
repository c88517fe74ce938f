"""Question kinds register here: one file of ``gymsite/arena/questions`` is one kind.

The registry stands on this floor, so that opening an episode can ask a kind for its text without knowing
the arena. Everything here is pure and public: no kind ever sees a gold.
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
"""Tool calls that an episode has, in any arm."""


@dataclass(frozen=True, kw_only=True)
class ToolCall:
    """The last call of a tool, as its episode may see it.

    ``input`` is what it was called with, as text; ``state`` is ``lost`` when nothing came of it in time;
    ``output`` is the tool's own; ``used`` counts the episode's calls but for those that were lost, ``limit``
    is how many it has.
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

    ``tools`` are granted to the episode; ``query`` holds the request's parameters, which are the agent's and
    may be anything; ``answers`` were typed before the page came back; ``call`` is the last one of a tool.
    """

    tools: frozenset[str] = frozenset()
    query: Mapping[str, str] = field(default_factory=dict)
    answers: tuple[str, ...] = ()
    call: ToolCall | None = None


@dataclass(frozen=True, kw_only=True)
class Move:
    """One act of a scripted client on a page, by accessible role and name.

    ``name`` None is any; ``place`` counts those that fit from 0, or back from -1.
    """

    act: Literal["type", "choose", "press"]
    role: str
    name: str | None = None
    place: int = 0
    text: str = ""


SUBMIT = Move(act="press", role="button", place=-1)


@dataclass(frozen=True, kw_only=True)
class QuestionKind:
    """One kind of question, in all its forms.

    ``render`` makes the template's context; ``form_template`` is the form alone, which a look may place
    elsewhere. ``text`` is Markdown for arms without a page (a picture is ``![Figure k](blob:<sha256>)``);
    ``axtree_text`` is what an axtree observation of the page must contain between heading and button, up to
    white space. ``transcript`` is what a reader copies who types out the question, without its pictures; None
    where it has more than one page.
    ``moves`` is how a scripted client submits an answer; ``more_moves`` counts what a look adds to
    ``Task.oracle_steps``. ``instruction`` names the paraphrases of the answer format in
    ``trajectories/record/prompts``; ``tools`` are those that its page can offer and a run may grant,
    ``own_tools`` those that belong to a question; ``has_text`` says whether arms without a page can pose the
    question; ``pages`` names the axes of its looks.
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
        """Return the paraphrases that state the form of this question's answer."""
        return "lines" if payload.get("answer_lines") else self.instruction

    def form_of(self, payload: Payload) -> AnswerForm:
        """Return the form that this question's answer has: a puzzle may ask for a whole board."""
        return "block" if payload.get("answer_lines") else self.answer_form


questions: Registry[QuestionKind] = Registry("question kind")


def question_text(*, kind: str, prompt: str, payload: Payload, variation: Variation | None) -> str:
    """Return a task's question as text, as an episode posed it: its choice order, the asserts that it shows.

    ``prompt`` is the stored text: used without a variation, or if the kind is gone.
    """
    if not variation or kind not in questions:
        return prompt
    return questions.get(kind).text(payload_shown(payload, variation))


def question_tools(*, kind: str, payload: Payload, variation: Variation | None) -> tuple[str, ...]:
    """List the tools that belong to an episode's question and that it may call, in the order of its page."""
    granted = get_tools(variation)
    own = questions.get(kind).own_tools(payload) if granted and kind in questions else ()
    return tuple(tool for tool in own if tool in granted)
