"""All prompts as a page of the documentation: each paragraph in full once, and then by its name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from palaestra.protocol import answers
from palaestra.protocol.arms import ARMS
from palaestra.protocol.grammars import GRAMMARS
from palaestra.protocol.histories import HISTORY_POLICIES, history_read
from palaestra.protocol.observations import OBSERVATION_FORMATS, SCOPES
from tasks_app import kinds
from tasks_app.questions import questions
from trajectories.record.prompts.conversation import Question, messages_for
from trajectories.record.prompts.interface import Setup
from trajectories.record.prompts.templates import PARAPHRASES, VERSION

HEAD = f"""# Prompts

What models are sent when an episode opens, of version `{VERSION}`: a message of the system, whose first
paragraph, the task instruction, is the same in all arms but the reading probe, and a message of the user. The
paragraphs are numbered and printed where they first occur. The instruction has {len(PARAPHRASES)}
paraphrases, drawn by seed.

Made by `manage.py write_prompts`; a test says when it is out of date.
"""
REPAIRS = """The result of a completion in free text without an answer, by the form of the answer. Such a
completion may be repaired once; an action that cannot be read gets a result of the same kind."""
MAX_STEPS = 12
QUESTION = "(the question)"
BASE = "a"


@dataclass(frozen=True, kw_only=True)
class Case:
    """One combination, with the words that name it."""

    title: str
    setup: Setup
    question: Question = field(default_factory=lambda: Question(text=QUESTION))
    paraphrase: str = BASE
    token_budget: int | None = None

    def parts(self) -> list[tuple[str, str]]:
        """Return the paragraphs of the system's message and the other messages, each with who says it."""
        messages = messages_for(
            template=f"{VERSION}{self.paraphrase}",
            setup=self.setup,
            question=self.question,
            max_steps=MAX_STEPS,
            token_budget=self.token_budget,
        )
        system, *others = messages
        paragraphs = [("system", text) for text in str(system["content"]).split("\n\n")]
        return [*paragraphs, *((other["role"], str(other["content"])) for other in others)]


@dataclass
class Printer:
    """Prints cases; each paragraph is numbered and printed where it first occurs."""

    numbers: dict[tuple[str, str], int] = field(default_factory=dict)

    def lines(self, case: Case) -> Iterator[str]:
        parts, known = case.parts(), len(self.numbers)
        order = [self.numbers.setdefault(part, len(self.numbers) + 1) for part in parts]
        yield f"\n## {case.title}\n"
        yield f"Paragraphs {', '.join(map(str, order))}."
        for (role, text), number in sorted(self.numbers.items(), key=lambda item: item[1])[known:]:
            yield f"\n**{number}** ({role})\n\n````text\n{text}\n````"


def page() -> str:
    """Return the page in Markdown."""
    printer = Printer()
    lines = [HEAD, *(line for case in cases() for line in printer.lines(case)), *_repairs()]
    return "\n".join(lines).rstrip() + "\n"


def _repairs() -> Iterator[str]:
    """Yield the results of completions in free text that hold no answer, by form."""
    yield f"\n## Repairs\n\n{REPAIRS}\n"
    for form, text in answers.REPAIRS.items():
        yield f"- `{form}`: Result of your action: invalid. {text}"


def cases() -> Iterator[Case]:
    """Yield every combination whose prompt differs in some paragraph from those before it."""
    yield from _set_ups()
    base = _setup("gym")
    yield from _channels(base)
    yield from _histories(base)
    for observation in (one.id for one in OBSERVATION_FORMATS.values() if one.has_text):
        in_view = replace(_setup("gym", observation=observation), scope=SCOPES[-1])
        yield Case(title=f"gym, {observation}, scope {in_view.scope}", setup=in_view)
    for grammar in ("json", "functions", "browsergym", "structured"):
        several = replace(_setup("gym", grammar=grammar), actions_per_turn=4)
        yield Case(title=f"gym, {several.observation.id}, {grammar}, 4 actions a turn", setup=several)
    yield Case(title="gym, with a token budget", setup=base, token_budget=32_768)
    yield from _kinds()
    question = Question(text=QUESTION, tools=("calculator", "travel_time"))
    for grammar in ("json", "functions", "browsergym"):
        setup = _setup("text_agent", grammar=grammar)
        yield Case(title=f"text_agent, with tools, {grammar}", setup=setup, question=question)
    for paraphrase in PARAPHRASES[1:]:
        yield Case(title=f"Paraphrase {paraphrase}", setup=_setup("text_zero_shot"), paraphrase=paraphrase)


def _setup(arm: str, *, observation: str = "", grammar: str = "json") -> Setup:
    formats = OBSERVATION_FORMATS
    return Setup(
        arm=ARMS[arm],
        observation=formats[observation] if observation else next(iter(formats.values())),
        grammar=GRAMMARS[grammar],
        history=history_read("full"),
        channel="page" if ARMS[arm].has_form else "api",
    )


def _set_ups() -> Iterator[Case]:
    """Yield each arm with each observation and grammar that it can have."""
    for arm in ARMS.values():
        if arm.is_free_text:
            yield Case(title=arm.id, setup=_setup(arm.id))
        elif not arm.has_page:
            for grammar in GRAMMARS:
                yield Case(title=f"{arm.id}, {grammar}", setup=_setup(arm.id, grammar=grammar))
        else:
            for observation, form in OBSERVATION_FORMATS.items():
                for grammar, record in GRAMMARS.items():
                    if form.has_screenshot or not (record.is_by_position or arm.is_pictured):
                        setup = _setup(arm.id, observation=observation, grammar=grammar)
                        yield Case(title=f"{arm.id}, {observation}, {grammar}", setup=setup)


def _channels(base: Setup) -> Iterator[Case]:
    site = Question(text=QUESTION, form="values", instruction="values", is_site=True)
    yield Case(title="A mock site", setup=base, question=site)
    by_api = replace(base, channel="api")
    yield Case(title="A mock site, answered through the API", setup=by_api, question=site)
    off_page = replace(site, is_on_page=False, fields=("Total in euros", "Listing number"))
    yield Case(title="A mock site without the task bar", setup=by_api, question=off_page)


def _histories(base: Setup) -> Iterator[Case]:
    for policy in list(HISTORY_POLICIES.values())[1:]:
        history = history_read(f"{policy.id}:3" if policy.has_number else policy.id)
        yield Case(title=f"gym, history {policy.id}", setup=replace(base, history=history))


def _kinds() -> Iterator[Case]:
    """Return the answer formats of question kinds that need no page."""
    named = {name: kind for name, kind in questions.items() if kind.has_text({}) and name != kinds.TOOLS}
    forms = {(kind.instruction, kind.answer_form): name for name, kind in named.items()}
    forms["lines", "block"] = "free_answer, of several lines"
    for (instruction, form), name in forms.items():
        question = Question(text=QUESTION, form=form, instruction=instruction)
        for arm in ("text_zero_shot", "text_agent"):
            yield Case(title=f"{arm}, kind {name}", setup=_setup(arm), question=question)
