"""Submission of an answer by a scripted policy, on every kind of page and without a page.

The policy uses only the observation: it closes a dialog over the page, opens a form behind a button, fills in
radio buttons or text fields, and presses the button after them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from palaestra.grammars.json import action_line
from palaestra.observation import Observation
from palaestra.policies.base import EpisodeInfo
from palaestra.policies.question_page import QuestionPage, page_read
from palaestra.protocol.answers import AnswerForm
from palaestra.protocol.arms import arm_of

_LABELLED = re.compile(r"^(\w{1,2})\. (.*)$", re.MULTILINE)
# No page has this many dialogs, or buttons before its form, so after as many attempts a policy moves on.
CLOSE_ATTEMPTS = 4
OPEN_ATTEMPTS = 2


@dataclass(frozen=True, kw_only=True)
class PlannedAnswer:
    """An answer: its values, or the label of a choice.

    If labels may be permuted, ``choice`` is the text of the choice, whose label is then looked up in the
    observation.
    """

    values: tuple[str, ...]
    choice: str = ""

    def __str__(self) -> str:
        return self.choice or ", ".join(self.values)


def format_free_text(values: tuple[str, ...], form: AnswerForm) -> str:
    """Return an answer as free text that ``palaestra.extraction`` can parse."""
    if form in ("program", "block"):
        return f"Answer:\n```\n{values[0]}\n```"
    if form == "values":
        return "Answer: " + " | ".join(value.replace("|", "\\|") for value in values)
    return f"Answer: {values[0]}"


def write_completion(
    observation: Observation, episode: EpisodeInfo, *, answer: PlannedAnswer, reasoning: str, closing: str
) -> str | None:
    """Return the next completion on the way to submitting ``answer``; None if nothing is left to do.

    ``reasoning`` is the thought before the answer is filled in, ``closing`` the thought before it is
    submitted.
    """
    if arm_of(episode.arm).is_free_text:
        return f"{reasoning}\n\n{format_free_text(_resolve_values(answer, observation), episode.answer_form)}"
    page = page_read(observation)
    if page.close and _may_try(episode, "closed", CLOSE_ATTEMPTS):
        return f"A dialog lies over the page, so I close it.\n{action_line('click', target=page.close)}"
    if page.submit is None or not page.has_form:
        return _answer_without_form(page, observation, episode, answer=answer, reasoning=reasoning)
    action = _choose(page, answer) if page.radios else _fill_in(page, answer, episode)
    if action is None:
        return f"{closing}\n{action_line('click', target=page.submit)}"
    return f"{reasoning}\n{action}"


def _answer_without_form(
    page: QuestionPage,
    observation: Observation,
    episode: EpisodeInfo,
    *,
    answer: PlannedAnswer,
    reasoning: str,
) -> str | None:
    """Return the answer action if there is no page, else a click on the button that may open the form."""
    if not arm_of(episode.arm).has_page:
        values = _resolve_values(answer, observation)
        text = list(values) if episode.answer_form == "values" else values[0]
        return f"{reasoning}\n\n{action_line('answer', text=text)}"
    if page.submit is None or not _may_try(episode, "opened", OPEN_ATTEMPTS):
        return None
    return f"There is no field yet, so I open the form.\n{action_line('click', target=page.submit)}"


def _may_try(episode: EpisodeInfo, attempt: str, limit: int) -> bool:
    """Count an attempt in this episode; return False once there have been ``limit`` attempts."""
    count: int = episode.memory.get(attempt, 0)
    episode.memory[attempt] = count + 1
    return count < limit


def _resolve_values(answer: PlannedAnswer, observation: Observation) -> tuple[str, ...]:
    """Return the answer's values; for a choice, the label that it has in the prompt."""
    if not answer.choice:
        return answer.values
    lines = _LABELLED.findall(_find_question(observation))
    labels = [label for label, text in lines if _is_same(text, answer.choice)]
    return (labels[-1],) if labels else answer.values


def _find_question(observation: Observation) -> str:
    """Return the last user message; earlier ones may be few-shot examples."""
    contents = [message["content"] for message in observation.messages if message["role"] == "user"]
    content = contents[-1] if contents else ""
    if isinstance(content, str):
        return content
    return "\n".join(str(part.get("text", "")) for part in content)


def _choose(page: QuestionPage, answer: PlannedAnswer) -> str | None:
    """Return a click on the correct radio button, or on the last one if none is; None once one is checked."""
    for radio in page.radios:
        label, _, text = radio.name.partition(". ")
        if _is_same(text, answer.choice) if answer.choice else label == answer.values[0]:
            return None if radio.is_checked else action_line("click", target=radio.id)
    if any(radio.is_checked for radio in page.radios):
        return None
    return action_line("click", target=page.radios[-1].id)


def _fill_in(page: QuestionPage, answer: PlannedAnswer, episode: EpisodeInfo) -> str | None:
    """Return the next value to type, or a click that adds a field; None once all values are typed."""
    typed: int = episode.memory.get("typed", 0)
    if typed >= len(answer.values):
        return None
    if typed >= len(page.fields):
        return action_line("click", target=page.add_field) if page.add_field else None
    episode.memory["typed"] = typed + 1
    return action_line("type", target=page.fields[typed], text=answer.values[typed], clear=True)


def _is_same(left: str, right: str) -> bool:
    return " ".join(left.split()) == " ".join(right.split())
