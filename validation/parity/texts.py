"""Comparison of the text that a page must show, taken from the task's source, with the text of its outline.

Both are reduced to one line without white space, with formulas between dollar signs and adjacent dollar signs
merged. The form's lines are dropped if they match its known wording, and so are the boxes around the question
(``_question_lines``). Nothing else is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from core.episodes.presentation import Look
from core.errors import GymError
from gymsite.arena.panels import Panel, choose_panels
from gymsite.arena.pop_ups import PopUp, choose_pop_ups
from gymsite.arena.wording import WORDINGS, Wording
from palaestra.protocol import outline
from palaestra.protocol.outline import INDENT, Line, strip_ids
from tasks_app.questions import questions

# JavaScript treats the byte order mark as white space, so it counts as white space here too.
SPACE = re.compile(r"[\s\ufeff]+")
DOLLARS = re.compile(r"\$+")
# Lines that are not part of the question: frames around its parts, and the button that adds a field.
FRAMES = frozenset(
    {Line(role="region", name="Passage"), Line(id="e", role="button", name="Add another answer")}
)
FIGURE = re.compile(r"Figure \d+")
KEYS_HINT = re.compile(
    r"Tab indents and Shift\+Tab removes an indentation\. To leave the field [\w ,]+ first\."
)
EXCERPT_CHARS = 40


def expected_text(kind: str, payload: Mapping[str, Any]) -> str:
    """Return the text that a page of this question kind must show. Raises ``GymError`` ``text_lost``."""
    return _pack(questions.get(kind).axtree_text(payload))


def observed_text(observation: str, *, look: Look, payload: Mapping[str, Any]) -> str:
    """Return the question's text from an outline, in the order of the source.

    Lines that do not belong to the question, such as a tool's button or a selected radio button, are kept
    whole, so that they differ from the source, as are lines before the heading or after the submit button.
    Raises ``GymError`` with ``page_cut`` or ``no_question``.
    """
    known = _question_lines(observation.split("\n"), payload, look)
    if outline.CUT in known:
        raise GymError("page_cut", "The page is longer than an observation may be; its end is lost.")
    lines = [(text.lstrip(), _anonymous(outline.line_read(text))) for text in known]
    wording = WORDINGS[look.wording]
    button = Line(id="e", role="button", name=wording.button)
    start = next((index for index, (_, line) in enumerate(lines) if line.level == 1), None)
    end = next((index for index, (_, line) in enumerate(lines) if line == button), None)
    if start is None or end is None:
        raise GymError("no_question", "The page has no heading with a submit button after it.")
    parts = [lines[start + 1 : end], lines[end + 1 :]]
    if look.form == "above":
        # The choices are part of the form, but come last in the source.
        parts.reverse()
    head = [pair for pair in lines[:start] if not _is_head(pair[1])]
    form = _form_lines(wording, is_dialog=look.form == "dialog")
    question = [pair for pair in (*head, *parts[0], *parts[1]) if not _is_frame(pair[1], form)]
    return _pack("".join(_words(text, line) for text, line in question))


def difference(*, expected: str, observed: str) -> str | None:
    """Describe where two texts diverge, for people to read; None if they are the same."""
    if observed == expected:
        return None
    pairs = enumerate(zip(expected, observed, strict=False))
    index = next((n for n, (a, b) in pairs if a != b), min(len(expected), len(observed)))
    start = max(index - EXCERPT_CHARS // 2, 0)
    ours, theirs = (text[start : start + EXCERPT_CHARS] for text in (expected, observed))
    return f"the source has {ours!r} where the observation has {theirs!r}"


def _anonymous(line: Line) -> Line:
    return replace(line, depth=0, id="e" if line.id else "")


def _is_head(line: Line) -> bool:
    """Return whether a line precedes the heading on every page."""
    return line == Line(role="main") or (line.role == "page" and line.url.startswith(f"{outline.ORIGIN}/"))


def _form_lines(wording: Wording, *, is_dialog: bool) -> frozenset[Line]:
    """Return the lines of an empty form, and of the dialog that may contain it."""
    fields = {
        Line(id="e", role="textbox", name=name, value="", states=states)
        for name in (wording.label, f"{wording.numbered} 1")
        for states in ((), ("focused",))
    }
    lines = fields | {Line(role="radiogroup", name=wording.choice)} | FRAMES
    if not is_dialog:
        return frozenset(lines)
    buttons = {Line(id="e", role="button", name=name) for name in (wording.opener, wording.closer)}
    titles = {Line(role="dialog", name=wording.opener), Line(role="heading", level=2, name=wording.opener)}
    return frozenset(lines | buttons | titles)


def _is_frame(line: Line, form: frozenset[Line]) -> bool:
    return line in form or (line.role == "text" and KEYS_HINT.fullmatch(line.text) is not None)


def _words(text: str, line: Line) -> str:
    """Return a line's words that belong to the question; a line of another kind is returned whole."""
    is_choice = line.role == "radio" and line.states in (("unchecked",), ("unchecked", "focused"))
    is_picture = line.role == "image" or (line.role == "figure" and FIGURE.fullmatch(line.name or ""))
    if line.name is not None and (is_choice or (is_picture and line.is_bare)):
        return line.name
    return line.text if line.role in ("text", outline.PREFORMATTED) else text


def _pack(text: str) -> str:
    return DOLLARS.sub("$", SPACE.sub("", text))


def _question_lines(lines: Sequence[str], payload: Mapping[str, Any], look: Look) -> list[str]:
    """Remove the look's panels and pop-ups from an outline's lines; each may occur once.

    A box is removed only if its lines are exactly those that the look draws for this question. If there is
    any other line under its landmark, the whole box is kept.
    """
    left = list(lines)
    for box in (
        *map(_panel_lines, choose_panels(payload, look)),
        *map(_pop_up_lines, choose_pop_ups(payload, look)),
    ):
        index = _place(left, box)
        if index is not None:
            del left[index : index + len(box)]
    return left


def _place(lines: Sequence[str], box: Sequence[str]) -> int | None:
    """Return the position of a box whose landmark contains exactly its lines; None if there is none."""
    plain = [strip_ids(line) for line in lines]
    for index in range(len(plain) - len(box) + 1):
        depth = len(plain[index]) - len(plain[index].lstrip())
        after = plain[index + len(box)] if index + len(box) < len(plain) else ""
        is_whole = not after.startswith(" " * depth + INDENT)
        if is_whole and plain[index : index + len(box)] == [" " * depth + line for line in box]:
            return index
    return None


def _panel_lines(panel: Panel) -> list[str]:
    heading = [] if panel.heading == panel.label else [f'heading 2 "{panel.heading}"']
    inside = [*heading, *(f"text: {text}" for text in panel.texts)]
    items = ["list", *(f"{INDENT}- {item}" for item in panel.items)] if panel.items else []
    return [f'complementary "{panel.label}"', *(INDENT + line for line in (*inside, *items))]


def _pop_up_lines(pop_up: PopUp) -> list[str]:
    buttons = [f'button "{button}"' for button in pop_up.buttons]
    return [f'dialog "{pop_up.label}"', *(INDENT + line for line in (f"text: {pop_up.text}", *buttons))]
