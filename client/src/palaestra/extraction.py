"""The one published rule by which an answer is taken from free text in arms without a page.

An opened episode says which form its answer has:

- ``line``: the last line that begins with ``Answer:`` (any case; Markdown heading, quote or emphasis marks
  around the word allowed) carries the answer: everything after the colon, stripped. Emphasis that was opened
  before the word and closes after the colon or at the end of the line is not part of the answer.
- ``values``: that line, cut at every ``|``, as a list; ``\\|`` is a bar of the answer itself. Empty values
  are left out.
- ``block`` and ``program``: the last fenced code block (three or more backticks or tildes on a line of their
  own, a language after them) after the last ``Answer:`` line; of the whole completion when none follows it.
  A block that is never closed ends with the completion.

An empty answer is none.
"""

from __future__ import annotations

import re

from palaestra.records import AnswerForm

_LEADING_MARKS = " \t>#"
_EMPHASIS = "*_"
_FENCE = re.compile(r"[ \t]*(?P<mark>`{3,}|~{3,})[^`\n]*")
_BAR = re.compile(r"(?<!\\)\|")


def answer_extract(completion: str, *, form: AnswerForm = "line") -> str | list[str] | None:
    """The answer of a completion by the rule above, or None."""
    lines = completion.split("\n")
    if form in ("program", "block"):
        return _block(lines)
    found = _announced(lines)
    answer = found[1] if found else ""
    if form == "values":
        values = [part.strip().replace("\\|", "|") for part in _BAR.split(answer)]
        return [value for value in values if value] or None
    return answer or None


def _announced(lines: list[str]) -> tuple[int, str] | None:
    """The number of the last line that begins with ``Answer:``, and what follows the colon."""
    for number in range(len(lines) - 1, -1, -1):
        head, colon, rest = lines[number].partition(":")
        word = head.strip(_LEADING_MARKS + _EMPHASIS + "\r")
        if colon and word.lower() == "answer":
            return number, _without_emphasis(head.strip(_LEADING_MARKS), rest.strip())
    return None


def _block(lines: list[str]) -> str | None:
    found = _announced(lines)
    blocks = _fenced(lines[found[0] + 1 :]) if found else []
    blocks = blocks or _fenced(lines)
    return blocks[-1] if blocks else None


def _fenced(lines: list[str]) -> list[str]:
    """The contents of the fenced blocks that hold something. A longer fence may hold shorter ones."""
    blocks: list[str] = []
    opened, inside = "", list[str]()
    for line in lines:
        fence = _FENCE.fullmatch(line.rstrip("\r"))
        mark = fence["mark"] if fence else ""
        if not opened:
            opened, inside = mark, []
        elif mark and mark[0] == opened[0] and len(mark) >= len(opened) and line.strip(" \t\r") == mark:
            blocks.append("\n".join(inside))
            opened = ""
        else:
            inside.append(line)
    if opened:
        blocks.append("\n".join(inside))
    return [block for block in blocks if block.strip()]


def _without_emphasis(head: str, answer: str) -> str:
    opened = head[: len(head) - len(head.lstrip(_EMPHASIS))]
    if not opened or head.endswith(opened[0]):
        return answer
    if answer.startswith(opened):
        return answer[len(opened) :].strip()
    return answer.removesuffix(opened).strip()
