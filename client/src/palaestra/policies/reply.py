"""How a scripted policy hands in an answer, on every kind of page and where there is none.

It finds its way by the observation alone: what lies over the page is closed, a form that is not there yet is
opened, and then there are radio buttons, one text field or several, and the button after them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from palaestra.episode import FREE_TEXT_ARMS
from palaestra.observation import Observation
from palaestra.policies.base import EpisodeInfo, action_line

_FIELD = re.compile(r'^\[(e\d+)\] textbox "[^\n]*" value="([^"\n]*)', re.MULTILINE)
_RADIO = re.compile(r'^\[(e\d+)\] radio "(.*)" (checked|unchecked)', re.MULTILINE)
_BUTTON = re.compile(r'^\[(e\d+)\] button "(.*)"', re.MULTILINE)
_DIALOG = re.compile(r'(?:alert)?dialog(?: "|$)')
_LETTERED = re.compile(r"^(\w{1,2})\. (.*)$", re.MULTILINE)
_ANOTHER = "another"
# Pages have fewer boxes over them, and one form: what does not go away, or does not come, is given up.
CLOSED_MAX = 4
OPENED_MAX = 2


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
    """The controls of a question page, as an axtree-v1 observation lists them.

    ``buttons`` stand in no box over the page; ``closer`` closes the first such box, ``submit`` hands in.
    """

    fields: list[tuple[str, str]]
    radios: list[tuple[str, str, bool]]
    buttons: list[tuple[str, str]]
    submit: str | None = None
    closer: str | None = None

    @property
    def has_form(self) -> bool:
        return bool(self.fields or self.radios)

    @property
    def another(self) -> str | None:
        """The button that adds a field."""
        return next((id for id, name in self.buttons if _ANOTHER in name.lower()), None)


def page_read(observation: Observation) -> Page:
    """A dialog holds the form where nothing outside of it does; any other lies over the page."""
    body, dialogs = _parted(observation.text.split("\n"))
    if not any(map(_is_input, body)):
        forms = [dialog for dialog in dialogs if any(map(_is_input, dialog))]
        body = [*body, *(line for dialog in forms[:1] for line in dialog)]
        dialogs = [dialog for dialog in dialogs if dialog not in forms[:1]]
    text = "\n".join(body)
    over = [_BUTTON.findall("\n".join(dialog)) for dialog in dialogs]
    return Page(
        fields=_FIELD.findall(text),
        radios=[(id, name, state == "checked") for id, name, state in _RADIO.findall(text)],
        buttons=_BUTTON.findall(text),
        submit=_submit(body),
        closer=next((buttons[-1][0] for buttons in over if buttons), None),
    )


def _parted(lines: list[str]) -> tuple[list[str], list[list[str]]]:
    """The lines outside of all dialogs, and those of each dialog, without their indentation."""
    body: list[str] = []
    dialogs: list[list[str]] = []
    depth: int | None = None
    for line in lines:
        words = line.lstrip()
        indent = len(line) - len(words)
        if depth is not None and indent > depth:
            dialogs[-1].append(words)
            continue
        depth = indent if _DIALOG.match(words) else None
        if depth is None:
            body.append(words)
        else:
            dialogs.append([])
    return body, dialogs


def _is_input(line: str) -> bool:
    return bool(_FIELD.match(line) or _RADIO.match(line))


def _submit(lines: list[str]) -> str | None:
    """The last of the buttons that follow the first inputs; without inputs the last of all."""
    first = next((place for place, line in enumerate(lines) if _is_input(line)), None)
    if first is None:
        ids = [found[1] for line in lines if (found := _BUTTON.match(line))]
        return ids[-1] if ids else None
    submit = None
    for line in lines[first:]:
        if found := _BUTTON.match(line):
            submit = found[1]
        elif submit:
            break
    return submit


def is_free_text(arm: str) -> bool:
    return arm in FREE_TEXT_ARMS


def hand_in(
    observation: Observation, episode: EpisodeInfo, *, reply: Reply, first: str, then: str
) -> str | None:
    """Give ``reply`` as the arm wants it: ``first`` is thought before writing, ``then`` before sending."""
    if is_free_text(episode.arm):
        return f"{first}\n\n{_in_words(_values(reply, observation), episode)}"
    page = page_read(observation)
    if page.closer and _counts(episode, "closed", CLOSED_MAX):
        return f"Something lies over the page, so I close it.\n{action_line('click', target=page.closer)}"
    if page.submit is None or not page.has_form:
        return _elsewhere(page, observation, episode, reply=reply, first=first)
    act = _choose(page, reply) if page.radios else _write(page, reply, episode)
    if act is None:
        return f"{then}\n{action_line('click', target=page.submit)}"
    return f"{first}\n{act}"


def _elsewhere(
    page: Page, observation: Observation, episode: EpisodeInfo, *, reply: Reply, first: str
) -> str | None:
    """The answer where there is no page, or the button behind which the form of one may stand."""
    if episode.arm == "text_agent":
        values = _values(reply, observation)
        answer = list(values) if episode.answer_form == "values" else values[0]
        return f"{first}\n\n{action_line('answer', text=answer)}"
    if page.submit is None or not _counts(episode, "opened", OPENED_MAX):
        return None
    return f"There is no field yet, so I open what there is.\n{action_line('click', target=page.submit)}"


def _counts(episode: EpisodeInfo, what: str, limit: int) -> bool:
    """Whether it may be done once more in this episode; it is then counted as done."""
    done: int = episode.memory.get(what, 0)
    episode.memory[what] = done + 1
    return done < limit


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
