"""How a scripted policy hands in an answer, on every kind of page and where there is none.

It finds its way by the observation alone: radio buttons, one text field or several, the last button.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from palaestra.episode import FREE_TEXT_ARMS
from palaestra.observation import Observation
from palaestra.policies.base import EpisodeInfo, action_line

_FIELD = re.compile(r'^\s*\[(e\d+)\] textbox "[^\n]*" value="([^"\n]*)', re.MULTILINE)
_RADIO = re.compile(r'^\s*\[(e\d+)\] radio "(.*)" (checked|unchecked)', re.MULTILINE)
_BUTTON = re.compile(r'^\s*\[(e\d+)\] button "(.*)"', re.MULTILINE)
_LETTERED = re.compile(r"^(\w{1,2})\. (.*)$", re.MULTILINE)
_ANOTHER = "another"


@dataclass(frozen=True, kw_only=True)
class Reply:
    """An answer: its values, or the label of a choice.

    ``choice`` is the text of the choice where the labels may have moved; it is then looked for in what the
    episode shows.
    """

    values: tuple[str, ...]
    choice: str = ""

    @property
    def said(self) -> str:
        return self.choice or ", ".join(self.values)


@dataclass(frozen=True)
class Page:
    """The controls of a question page, as an axtree-v1 observation lists them."""

    fields: list[tuple[str, str]]
    radios: list[tuple[str, str, bool]]
    buttons: list[tuple[str, str]]

    @property
    def submit(self) -> str | None:
        return self.buttons[-1][0] if self.buttons else None

    @property
    def another(self) -> str | None:
        """The button that adds a field."""
        return next((id for id, name in self.buttons[:-1] if _ANOTHER in name.lower()), None)


def page_read(observation: Observation) -> Page:
    text = observation.text
    radios = [(id, name, state == "checked") for id, name, state in _RADIO.findall(text)]
    return Page(fields=_FIELD.findall(text), radios=radios, buttons=_BUTTON.findall(text))


def is_free_text(arm: str) -> bool:
    return arm in FREE_TEXT_ARMS


def hand_in(
    observation: Observation, episode: EpisodeInfo, *, reply: Reply, first: str, then: str
) -> str | None:
    """Give ``reply`` as the arm wants it: ``first`` is thought before writing, ``then`` before sending."""
    if is_free_text(episode.arm):
        return f"{first}\n\n{_in_words(_values(reply, observation), episode)}"
    page = page_read(observation)
    if page.submit is None or not (page.fields or page.radios):
        if episode.arm != "text_agent":
            return None
        values = _values(reply, observation)
        answer = list(values) if episode.answer_form == "values" else values[0]
        return f"{first}\n\n{action_line('answer', text=answer)}"
    act = _choose(page, reply) if page.radios else _write(page, reply, episode)
    if act is None:
        return f"{then}\n{action_line('click', target=page.submit)}"
    return f"{first}\n{act}"


def _in_words(values: tuple[str, ...], episode: EpisodeInfo) -> str:
    if episode.answer_form in ("program", "block"):
        return f"Answer:\n```\n{values[0]}\n```"
    if episode.answer_form == "values":
        return "Answer: " + " | ".join(value.replace("|", "\\|") for value in values)
    return f"Answer: {values[0]}"


def _values(reply: Reply, observation: Observation) -> tuple[str, ...]:
    """The values, with the label under which the prompt shows the choice."""
    if not reply.choice:
        return reply.values
    shown = _prompt(observation)
    labels = [label for label, text in _LETTERED.findall(shown) if _same(text, reply.choice)]
    return (labels[-1],) if labels else reply.values


def _prompt(observation: Observation) -> str:
    """The words of the first question that the conversation ends with: an exemplar's comes before it."""
    asked = [message["content"] for message in observation.messages if message["role"] == "user"]
    content = asked[-1] if asked else ""
    if isinstance(content, str):
        return content
    return "\n".join(str(part.get("text", "")) for part in content)


def _choose(page: Page, reply: Reply) -> str | None:
    """The click on the right radio button; None when it is checked already."""
    wanted = reply.values[0]
    for id, name, is_checked in page.radios:
        label, _, text = name.partition(". ")
        if _same(text, reply.choice) if reply.choice else label == wanted:
            return None if is_checked else action_line("click", target=id)
    if any(is_checked for _, _, is_checked in page.radios):
        return None
    return action_line("click", target=page.radios[-1][0])


def _write(page: Page, reply: Reply, episode: EpisodeInfo) -> str | None:
    """The next thing to type, or the button for one more field; None when all is written."""
    written: int = episode.memory.get("written", 0)
    if written >= len(reply.values):
        return None
    if written >= len(page.fields):
        return action_line("click", target=page.another) if page.another else None
    episode.memory["written"] = written + 1
    return action_line("type", target=page.fields[written][0], text=reply.values[written], clear=True)


def _same(one: str, other: str) -> bool:
    return " ".join(one.split()) == " ".join(other.split())
