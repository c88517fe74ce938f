"""The published rule for extracting an answer from free text, in arms without a page.

When an episode is opened, it names the form of its answer:

- ``line``: everything after the colon, stripped, of the last line that begins with ``Answer:`` (in any case;
  with Markdown heading, quote or emphasis marks around the word). Emphasis that opens before the word and
  closes after the colon or at the end of the line is not part of the answer.
- ``values``: the same text, split into a list at every ``|``; ``\\|`` is a bar within a value. Empty values
  are dropped.
- ``block``: the last fenced code block (three or more backticks or tildes on a line of their own, optionally
  followed by a language) after the last ``Answer:`` line; if no block follows that line, the last one in the
  whole completion. An unclosed block ends with the completion.
- ``program``: among the same blocks, the last one that is a Python program, which means that it compiles and
  defines a function or class that is not a test. Later blocks only show how the program is used, what it
  prints or how it is tested. If every definition is named like a test (``check_prime``), the answer is the
  first such block, or the last one that defines the same names again. If no block defines anything, it is the
  last block.

Lines within a block lose the indentation of its fence, as in CommonMark.

Tokens that end a turn (``<|im_end|>``) are not part of an answer. An empty answer counts as no answer.
"""

from __future__ import annotations

import re
import warnings

from palaestra.end_tokens import end_cut
from palaestra.protocol.answers import AnswerForm

# How many completions without an answer are tolerated before one ends the episode.
REPAIRS_MAX = 1
_LEADING_MARKS = " \t>#"
_EMPHASIS = "*_"
_FENCE = re.compile(r"[ \t]*(?P<mark>`{3,}|~{3,})[^`\n]*")
_DEFINED = re.compile(
    r"^(?:async[ \t]+)?(?:def|class)[ \t]+(?P<name>\w+)(?!\([\w.]*TestCase\))\b"
    r"|^(?P<short>\w+)[ \t]*=[ \t]*lambda\b",
    re.MULTILINE,
)
_TEST = re.compile(r"(?:test|check|main$|run_tests)", re.IGNORECASE)
_BAR = re.compile(r"(?<!\\)\|")


def answer_extract(completion: str, *, form: AnswerForm = "line") -> str | list[str] | None:
    """Return the answer in a completion according to this module's rule, or None."""
    lines = end_cut(completion).split("\n")
    if form in ("program", "block"):
        return _find_block(lines, is_program=form == "program")
    announced = _find_announced(lines)
    answer = end_cut(announced[1]) if announced else ""
    if form == "values":
        values = [part.strip().replace("\\|", "|") for part in _BAR.split(answer)]
        return [value for value in values if value] or None
    return answer or None


def _find_announced(lines: list[str]) -> tuple[int, str] | None:
    """Return the number of the last line that begins with ``Answer:``, and the text after the colon."""
    for number in range(len(lines) - 1, -1, -1):
        head, colon, rest = lines[number].partition(":")
        word = head.strip(_LEADING_MARKS + _EMPHASIS + "\r")
        if colon and word.lower() == "answer":
            return number, _strip_emphasis(head.strip(_LEADING_MARKS), rest.strip())
    return None


def _find_block(lines: list[str], *, is_program: bool) -> str | None:
    announced = _find_announced(lines)
    after = _split_blocks(lines[announced[0] + 1 :]) if announced else []
    blocks = _split_blocks(lines)
    if is_program:
        for candidates, may_be_test in ((after, False), (blocks, False), (after, True), (blocks, True)):
            if program := _find_program(candidates, may_be_test=may_be_test):
                return program
    return next(reversed(after or blocks), None)


def _find_program(blocks: list[str], *, may_be_test: bool) -> str | None:
    """Return the last block that defines something that is not named like a test.

    Some questions ask for a function with such a name. With ``may_be_test``, test names count, and the result
    is the last block that defines the same names as the first defining block.
    """
    programs = [
        (block, names) for block in blocks if (names := _list_definitions(block)) and _compiles(block)
    ]
    goals = {name for _, names in programs for name in names if not _TEST.match(name)}
    if may_be_test and programs:
        goals = programs[0][1]
    return next((block for block, names in reversed(programs) if goals & names), None)


def _list_definitions(block: str) -> set[str]:
    """Return the names of the functions and classes that a block defines, except test cases."""
    return {match["name"] or match["short"] for match in _DEFINED.finditer(block)}


def _compiles(block: str) -> bool:
    """Return whether a block compiles as Python. It is never run."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # such as warnings about escapes in strings
            compile(block, "<answer>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
        return False
    return True


def _split_blocks(lines: list[str]) -> list[str]:
    """Return the contents of fenced blocks that are not blank; a longer fence may contain shorter ones."""
    blocks: list[str] = []
    opened, inside, indentation = "", list[str](), 0
    for line in lines:
        fence = _FENCE.fullmatch(line.rstrip("\r"))
        mark = fence["mark"] if fence else ""
        if not opened:
            opened, inside = mark, []
            indentation = _measure_indentation(line)
        elif mark and mark[0] == opened[0] and len(mark) >= len(opened) and line.strip(" \t\r") == mark:
            blocks.append("\n".join(inside))
            opened = ""
        else:
            inside.append(line[min(indentation, _measure_indentation(line)) :])
    if opened:
        blocks.append("\n".join(inside))
    return [block for block in map(end_cut, blocks) if block.strip()]


def _measure_indentation(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def _strip_emphasis(head: str, answer: str) -> str:
    opened = head[: len(head) - len(head.lstrip(_EMPHASIS))]
    if not opened or head.endswith(opened[0]):
        return answer
    if answer.startswith(opened):
        return answer[len(opened) :].strip()
    return answer.removesuffix(opened).strip()
