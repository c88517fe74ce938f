"""Prompts and completions in each arm. Everything is fixed except the choice among the offered tokens."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace

SYSTEM = {"gym": "Click the right option.", "text_zero_shot": "Give the letter of the right option."}
SYSTEM_DIGIT = {"gym": "Type the right number.", "text_zero_shot": "Give the right number."}
INSTRUCTION = "A solution begins as follows. Go on from it."
DIGITS = tuple("0123456789")
THOUGHT = "Thought: The row is"
AFTER_ROW = ".\n"
ROW = re.compile(r"^\s*(?:\| )?(\w+: \d+)$", re.MULTILINE)
ELEMENT = re.compile(r"^\s*\[e(\d)\] (\w+)", re.MULTILINE)
LETTER = re.compile(r"^([A-Z])\. ", re.MULTILINE)


@dataclass(frozen=True)
class Prompt:
    """A prompt. ``offered`` are the tokens to choose from.

    ``submit`` is the page's button, or empty if there is no page. If there are ``rows``, one of them is first
    quoted in a thought, and a choice is a pair of row and token, ordered by row.
    """

    system: str
    page: str
    prefix: str
    offered: tuple[str, ...]
    submit: str = ""
    action: str = "click"
    rows: tuple[str, ...] = ()

    @property
    def choices(self) -> int:
        return len(self.offered) * max(len(self.rows), 1)

    def after_row(self, row: int) -> str:
        """Return the text from the quoted row to the choice."""
        return f"{self.rows[row]}{AFTER_ROW}{self.prefix}"

    def completion(self, choice: int) -> str:
        row, index = divmod(choice, len(self.offered))
        opening = THOUGHT + self.after_row(row) if self.rows else self.prefix
        token = self.offered[index]
        if not self.submit:
            return f"{opening}{token}"
        rest = [{"target": f"e{self.submit}", "type": "click"}]
        return f'{opening}{token}","type":"{self.action}"}},{json.dumps(rest)[1:]},"type":"sequence"}}'


def page_prompt(outline: str, guidance: str = "") -> Prompt:
    """Return the prompt for a page as the gym sends it. All elements are offered, including the button.

    On a page with a field instead of options, the choice is one of ten digits. ``guidance`` is appended.
    """
    page = f"{outline}\n\n{guidance}" if guidance else outline
    elements = ELEMENT.findall(outline)
    buttons = [number for number, role in elements if role == "button"]
    fields = [number for number, role in elements if role == "textbox"]
    if fields:
        prefix = f'Action: {{"actions":[{{"target":"e{fields[0]}","text":"'
        return Prompt(SYSTEM_DIGIT["gym"], page, prefix, DIGITS, buttons[-1], "type")
    numbers = tuple(number for number, _ in elements)
    return Prompt(SYSTEM["gym"], page, 'Action: {"actions":[{"target":"e', numbers, buttons[-1])


def quoting(prompt: Prompt) -> Prompt:
    """Return the prompt with a thought that quotes a row of the page's table before the choice."""
    return replace(prompt, rows=tuple(f" {row}" for row in ROW.findall(prompt.page)))


def text_prompt(question: str) -> Prompt:
    """Return the prompt for a question without a page."""
    letters = tuple(f" {letter}" for letter in LETTER.findall(question))
    if not letters:
        return Prompt(SYSTEM_DIGIT["text_zero_shot"], question, "Answer: ", DIGITS)
    return Prompt(SYSTEM["text_zero_shot"], question, "Answer:", letters)
