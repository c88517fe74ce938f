"""Step-by-step derivations of the answers to generated puzzles about words and lists.

The functions work as in ``_steps_numbers``.
"""

from __future__ import annotations

import json
import re
from collections import Counter

EACH = 3
TIMES = {1: "once", 2: "twice"}
ORDINARY = ("This list begins with", "Then come")


def backward(question: str, answer: str) -> list[str]:
    """Spell the word letter by letter from its end."""
    word = question.rpartition(": ")[2]
    prefixes = [word[::-1][:count] for count in range(1, len(word) + 1)]
    return [
        f"The letter of {word} that is number {count} from its end is {part[-1]}: {part}."
        for count, part in enumerate(prefixes, start=1)
    ]


def listed(question: str, answer: str) -> list[str]:
    """List the answer's words or numbers in order, a few per step."""
    items = re.findall(r"'([^']+)'", answer) if answer.startswith("[") else answer.split(", ")
    groups = [items[first : first + EACH] for first in range(0, len(items), EACH)]
    ordered = re.search(r"order: (.*)", question)
    given = re.split(r"[,\s]+", ordered[1] if ordered else question.rpartition(":")[2].strip())
    if len(items) < 2 or Counter(map(_bare, given)) != Counter(map(_bare, items)):
        return []
    steps = [f"{ORDINARY[number > 0]} {', '.join(group)}." for number, group in enumerate(groups)]
    return [*steps, f"So it is {answer}."]


def _bare(item: str) -> str:
    """Strip a trailing ``.0`` from a number, since the package writes 5 as 5.0."""
    return item.removesuffix(".0")


def letters(question: str, answer: str) -> list[str]:
    match = re.search(r'the letter "(\w)" appear in the text: "(.*)"\?\Z', question, re.DOTALL)
    if match is None:
        return []
    letter = match[1]
    counts = [(word, word.lower().count(letter.lower())) for word in match[2].split()]
    steps = [f'"{word}" has {letter} {TIMES.get(n, f"{n} times")}.' for word, n in counts if n]
    return [*steps, f"In all that is {match[2].lower().count(letter.lower())}."]


def caesar(question: str, answer: str) -> list[str]:
    """State how far the letters are shifted, then decode word by word."""
    match = re.search(r"cipher text: ([A-Z ]+)\.", question)
    if match is None:
        return []
    coded, plain = match[1].split(), answer.split()
    shift = (ord(coded[0][0]) - ord(plain[0][0])) % 26
    if [_move(word, shift) for word in coded] != plain:
        return []
    steps = [f"{word} becomes {clear}." for word, clear in zip(coded, plain, strict=True)]
    first = f"Each letter stands for the one {shift} places before it in the alphabet, A following Z."
    return [first, *steps, f"So the text is {answer}."]


def _move(word: str, shift: int) -> str:
    return "".join(chr((ord(letter) - ord("A") - shift) % 26 + ord("A")) for letter in word)


def jugs(question: str, answer: str) -> list[str]:
    """List the moves in order."""
    return [f"Move {number}: {move}." for number, move in enumerate(json.loads(answer), start=1)] + [
        f"So the moves are {answer}."
    ]


def isomorphic(question: str, answer: str) -> list[str]:
    """Match the strings pair by pair, up to the first pair that does not fit."""
    first, second = question.split("\n")[-1].split(" ")[:2]
    forth: dict[str, str] = {}
    back: dict[str, str] = {}
    steps: list[str] = []
    for letter, other in zip(first, second, strict=True):
        if forth.get(letter, other) != other or back.get(other, letter) != letter:
            taken = letter if letter in forth else back[other]
            clash = f"{letter} would become {other}, but {taken} becomes {forth[taken]}."
            return [*steps, clash, "So the answer is False."]
        if letter not in forth:
            steps.append(f"{letter} becomes {other}.")
        forth[letter], back[other] = other, letter
    return [*steps, "So the answer is True."]


def ransom(question: str, answer: str) -> list[str]:
    match = re.search(r"Ransom note: (\S+)\s+Magazine: (\S+)", question)
    if match is None:
        return []
    needs, has = Counter(match[1]), Counter(match[2])
    steps = []
    for letter, count in needs.items():
        steps.append(f"The note needs {letter} {count} times, and the magazine has it {has[letter]} times.")
        if count > has[letter]:
            return [*steps, "So the answer is False."]
    return [*steps, "So the answer is True."]
