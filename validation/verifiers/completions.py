"""Published rules for extracting an answer from a whole completion, by benchmark.

A verifier judges the content of an answer field, so these rules must be applied to a completion first:

- ScienceQA (``run_gpt3.py``): the single match of ``The answer is ([A-Z]).``
- MMMU (``mmmu/utils/eval_utils.py``): the letter that is parsed, or each tail of an open answer.
- ChartQA answered in sentences: the first number after the last verb that is followed by one, without commas
  and percent sign; if there is no verb, the last number that is not a date. A gold text that is merely
  contained in the sentence does not count.
- Lettered choices (in the order of LightEval's extraction): the letter after the last word for "answer", else
  the one called correct, else the one that begins the completion, else the last one on its own. The pronoun
  "I", the article "A" and letters that the completion rejects do not count.
"""

from __future__ import annotations

import re
from itertools import pairwise

from verifiers import mmmu_rules
from verifiers.builtin import mmmu
from verifiers.choice_labels import find_choice
from verifiers.types import Evidence, Gold

SCIENCEQA = re.compile(r"The answer is ([A-Z]).")
NUMBER = re.compile(r"(?<![\w.])-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?", re.ASCII)
SENTENCE_WORDS = 3
LABEL = r"(?<![A-Za-z0-9'\u2019])[A-J](?![A-Za-z0-9'\u2019])"
ALONE = f"({LABEL})"
AFTER_ANSWER = re.compile(
    rf"(?i:answer|r\u00e9ponse|respuesta|antwort|risposta|resposta|\u7b54\u6848|\u043e\u0442\u0432\u0435\u0442)"
    rf"(?i:\s+(?:is|est|es|ist|\u00e8|\u00e9))?[\s:*_(\[\u662f\uff1a]*{ALONE}"
)
CALLED_CORRECT = re.compile(rf"{ALONE}\W{{1,3}}is\s+(?:the\s+)?(?:correct|right|true|best|answer)\b")
AT_START = re.compile(rf"\W*{ALONE}")
LETTER = re.compile(ALONE)
RUN = rf"\W{{0,2}}{LABEL}(?:\W{{0,2}}(?:,|and|or)\W{{1,2}}{LABEL})*\W?"
DENIED = re.compile(
    rf"(?:\b(?i:not|nor|neither|cannot be|over|than|instead of|non|nicht|pas)\s|\u4e0d\u662f){RUN}"
    rf"|{RUN}\s*(?:(?:is|are)\s+(?:wrong|incorrect|false|not)\b|\u662f\u9519)"
)
NO_LETTER = re.compile(
    r"\bI(?=\s+[a-z]|['\u2019])|\bA(?=\s+(?!(?:is|was|because|since|as|and|or|but)\b)[a-z])"
)
VERB = re.compile(r"(?<!which )(?<!that )\b(?:is|was|are|were|be|equals)\b|=")
DATED = re.compile(
    r"\b(?:in|of|since|by|from|to|until|and|year|than)\s+(?:the\s+year\s+)?(?:19|20)\d\d\b(?![.,]?\d)"
)


def candidates(benchmark: str, gold: Gold, completion: str) -> list[Evidence]:
    """List the answers that a completion gives; the completion is right if one of them is.

    There are several answers only if the official rule compares each of them (MMMU's open answers).
    """
    if benchmark == "scienceqa":
        letters = SCIENCEQA.findall(completion)
        return [Evidence(letters[0] if len(letters) == 1 else "")]
    if benchmark.startswith("mmmu"):
        return _mmmu(gold, completion)
    if benchmark == "chartqa_free_text":
        return [Evidence(_stated_number(completion))]
    if benchmark in {"multiple_choice", "mmlu", "sciq", "arc"}:
        return [Evidence(find_letter(completion) or "")]
    return [Evidence(completion)]


def find_letter(completion: str) -> str | None:
    """Return the label that a completion chooses; None if it chooses none."""
    label = find_choice(completion, {})
    if label:
        return label
    text = NO_LETTER.sub(" ", DENIED.sub(" ", completion))
    for stated in (AFTER_ANSWER, CALLED_CORRECT):
        if letters := stated.findall(text):
            return str(letters[-1])
    start = AT_START.match(text)
    alone = LETTER.findall(text)
    return str(start[1]) if start else str(alone[-1]) if alone else None


def _mmmu(gold: Gold, completion: str) -> list[Evidence]:
    if mmmu.is_open(gold):
        return [Evidence(tail) for tail in mmmu_rules.list_tails(completion)]
    return [Evidence(mmmu_rules.find_letter(completion, mmmu.read_options(gold)) or "")]


def _stated_number(sentence: str) -> str:
    numbers = NUMBER.findall(sentence)
    if not numbers or len(sentence.split()) < SENTENCE_WORDS:
        return sentence
    starts = [match.end() for match in VERB.finditer(sentence)]
    clauses = [sentence[start:end] for start, end in pairwise([*starts, len(sentence)])]
    after_verbs = [number[0] for clause in clauses if (number := NUMBER.search(DATED.sub(" ", clause)))]
    undated = NUMBER.findall(DATED.sub(" ", sentence))
    return str((after_verbs or undated or numbers)[-1].replace(",", ""))
