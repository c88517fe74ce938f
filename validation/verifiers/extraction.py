r"""The published rule for extracting one answer from a whole completion.

Verifiers judge answers of at most 200 characters. The answer of a whole completion is the first of the
following that it contains:

1. after the last ``</think>``, the last ``\boxed{...}``, or the last run of boxes joined only by
   commas and the words "and", "or";
2. the text after the last line that begins with ``Answer:``, or the last "answer is", up to the end of its
   sentence;
3. the text after the last ``####``;
4. the last formula between ``$``, ``\(`` and ``\)``, ``\[`` and ``\]``, or in an ``equation`` or an
   ``align``, or the last run of such formulas joined only by commas and "and" or "or", unless the sentence
   goes on to say that it *is* a number;
5. the last number.

If the text found by rule 2 is a sentence, rules 4 and 5 find the formula or number in it. They skip values
that their own sentence denies, bounds or offers as one of several ("fewer than 72", "either 12 or 15", "36
dozen").
"""

from __future__ import annotations

import re

from tasks_app.leaks.phrases import FORMULA
from verifiers.answer_text import list_boxes
from verifiers.limits import SHORT_ANSWER_CHARS
from verifiers.mathtext.normalization import BETWEEN_BOXES
from verifiers.mathtext.sentences import FUNCTION_OF_ANSWER
from verifiers.mathtext.vocabulary import DOUBTS

SPECIAL_END = re.compile(r"<\|.*", re.DOTALL)
ANSWER = re.compile(r"(?:^|\n)[\s*#_>]*answer\s*:[\s*_]*|\banswer\s*(?:is|:)\s*:?", re.IGNORECASE)
SENTENCE_END = re.compile(r"\.(?:\s|$)|\n|\bI hope\b")
HASHES = re.compile(r"####\s*([^\n]+)")
BETWEEN_FORMULAS = re.compile(r"\s*(?:[,;]|[,;]?\s*\b(?:and|or)\b)\s*")
NUMBER = re.compile(r"(?<![\w.])-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:[.,]\d+)?(?:\s?/\s?\d+)?\s?%?", re.ASCII)
WORD = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{3,}")
SENTENCE_WORDS = 3
CLAUSE = re.compile(r"(?:[.;:\d\n]|\b(?:so|thus|hence|therefore|then)\b)", re.IGNORECASE)
AMONG_OTHERS = re.compile(r"\bbetween\b[^A-Za-z]*\d[^A-Za-z]*(?:[a-z]+ )?and\W*$|\d\W* (?:to|or)\W*$")
DOUBTED_AFTER = re.compile(
    r"[\s$]*(?:\(?(?:wrong|squared|cubed|or|if|unless|dozen|hundred|thousand|[mb]illion)\b|')", re.IGNORECASE
)


def extract(completion: str) -> str | None:
    """Extract the answer that a completion states by the module's rule; None if it states none."""
    text = SPECIAL_END.sub("", completion.rpartition("</think>")[2])
    after_hashes = [answer.strip() for answer in HASHES.findall(text)][-1:]
    answer = _find_boxed(text) or _find_announced(text) or "".join(after_hashes) or _formula_or_number(text)
    return answer if answer and len(answer) <= SHORT_ANSWER_CHARS else None


def _find_boxed(text: str) -> str | None:
    spans = list_boxes(text)
    if not spans:
        return None
    contents = [spans[-1][2]]
    for (_, end, content), (start, _, _) in zip(spans[-2::-1], spans[:0:-1], strict=True):
        if not BETWEEN_BOXES.match(text[end:start]):
            break
        contents.insert(0, content)
    return ", ".join(contents)


def _find_announced(text: str) -> str | None:
    matches = list(ANSWER.finditer(text))
    if not matches:
        return None
    sentence = SENTENCE_END.split(text[matches[-1].end() :].strip(), maxsplit=1)[0].strip()
    if len(WORD.findall(sentence)) < SENTENCE_WORDS:
        return sentence
    return _formula_or_number(sentence)


def _formula_or_number(text: str) -> str | None:
    formulas = list(FORMULA.finditer(text))
    numbers = list(NUMBER.finditer(text))
    is_formula = bool(formulas) and not (
        numbers and numbers[-1].start() >= formulas[-1].end() and " is " in text
    )
    run = _last_run(text, formulas) if is_formula else numbers[-1:]
    if not run or _is_doubted(text[: run[0].start()], text[run[-1].end() :]):
        return None
    return ", ".join(map(_content, run)) if is_formula else run[0].group().strip()


def _is_doubted(before: str, after: str) -> bool:
    """Return whether the clause around a value denies it, bounds it, or offers it as one of several."""
    if DOUBTED_AFTER.match(after) or AMONG_OTHERS.search(before):
        return True
    return _doubts_value(CLAUSE.split(before)[-1])


def _doubts_value(clause: str) -> bool:
    """Return whether the words before a value call it into question, which "about 12" does not."""
    words = clause.lower().replace("'", " ").split()
    is_function = any(FUNCTION_OF_ANSWER.match(" ".join(words[:end])) for end in range(len(words) + 1))
    return is_function or bool(DOUBTS.intersection(words)) or re.search(r"n't\b", clause) is not None


def _last_run(text: str, formulas: list[re.Match[str]]) -> list[re.Match[str]]:
    run = [formulas[-1]]
    for before in formulas[-2::-1]:
        if not BETWEEN_FORMULAS.fullmatch(text[before.end() : run[0].start()]):
            break
        run.insert(0, before)
    return run


def _content(formula: re.Match[str]) -> str:
    """Return a formula's content on one line, since the lines of an ``align`` continue each other."""
    *inline, lines = formula.groups()
    content = next((group for group in inline if group is not None), None)
    return content.strip() if content is not None else " ".join(re.sub(r"&|\\\\", " ", lines).split())
