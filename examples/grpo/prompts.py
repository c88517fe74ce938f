"""What the model reads and writes in each arm: all but one token is fixed, its choice of what is offered."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

SYSTEM = {"gym": "Click the right option.", "text_zero_shot": "Give the letter of the right option."}
SYSTEM_DIGIT = {"gym": "Type the right number.", "text_zero_shot": "Give the right number."}
INSTRUCTION = "A solution begins as follows. Go on from it."
DIGITS = tuple("0123456789")
ELEMENT = re.compile(r"^\s*\[e(\d)\] (\w+)", re.MULTILINE)
LETTER = re.compile(r"^([A-Z])\. ", re.MULTILINE)


@dataclass(frozen=True)
class Prompt:
    """``offered`` are the tokens to choose among; ``submit`` is the page's button, empty without a page."""

    system: str
    page: str
    prefix: str
    offered: tuple[str, ...]
    submit: str = ""
    deed: str = "click"

    def completion(self, choice: int) -> str:
        token = self.offered[choice]
        if not self.submit:
            return f"{self.prefix}{token}"
        rest = [{"target": f"e{self.submit}", "type": "click"}]
        return f'{self.prefix}{token}","type":"{self.deed}"}},{json.dumps(rest)[1:]},"type":"sequence"}}'


def page_prompt(outline: str, guidance: str = "") -> Prompt:
    """The outline as the gym sends it; every element of the page is offered, its button too.

    A page with a field in place of options takes one digit: all ten are offered. ``guidance`` is put below.
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


def text_prompt(question: str) -> Prompt:
    """The question as the gym's message states it."""
    letters = tuple(f" {letter}" for letter in LETTER.findall(question))
    if not letters:
        return Prompt(SYSTEM_DIGIT["text_zero_shot"], question, "Answer: ", DIGITS)
    return Prompt(SYSTEM["text_zero_shot"], question, "Answer:", letters)
