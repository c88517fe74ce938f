"""The published rules that extract an answer from a whole completion, by benchmark.

A verifier judges the content of an answer field. Published verdicts on completions need these rules first:

- ScienceQA (``run_gpt3.py``): the single match of ``The answer is ([A-Z]).``
- MMMU (``mmmu/utils/eval_utils.py``): the letter that was parsed, or each tail of an open answer.
- ChartQA answered in sentences: the last number of the sentence, without commas and percent sign. A gold text
  that is merely contained in the sentence does not count.
- Lettered choices (the order of LightEval's extraction): the letter after the last word for "answer", else
  the letter that begins the completion, else the last letter standing alone.
"""

from __future__ import annotations

import re

from verifiers import mmmu_rules
from verifiers.builtin import choice, mmmu
from verifiers.types import Evidence, Gold

SCIENCEQA = re.compile(r"The answer is ([A-Z]).")
NUMBER = re.compile(r"(?<![\w.])-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?", re.ASCII)
SENTENCE_WORDS = 3
ALONE = r"(?<![A-Za-z0-9'\u2019])([A-J])(?![A-Za-z0-9'\u2019])"
AFTER_ANSWER = re.compile(
    rf"(?i:answer|r\u00e9ponse|respuesta|antwort|risposta|resposta|\u7b54\u6848|\u043e\u0442\u0432\u0435\u0442)"
    rf"(?i:\s+(?:is|est|es|ist|\u00e8|\u00e9))?[\s:*_(\[\u662f\uff1a]*{ALONE}"
)
AT_START = re.compile(rf"\W*{ALONE}")
LETTER = re.compile(ALONE)


def candidates(benchmark: str, gold: Gold, completion: str) -> list[Evidence]:
    """The answers that the completion gives; it is right if one of them is.

    There are several only where the official rule compares each (MMMU's open answers).
    """
    if benchmark == "scienceqa":
        letters = SCIENCEQA.findall(completion)
        return [Evidence(letters[0] if len(letters) == 1 else "")]
    if benchmark.startswith("mmmu"):
        return _mmmu(gold, completion)
    if benchmark == "chartqa_free_text":
        return [Evidence(_last_number(completion))]
    if benchmark in {"multiple_choice", "mmlu", "sciq", "arc"}:
        return [Evidence(letter_in(completion) or "")]
    return [Evidence(completion)]


def letter_in(completion: str) -> str | None:
    """The one label that a completion chooses; None when it chooses none."""
    label = choice.read_label(completion)
    if label:
        return label
    announced = AFTER_ANSWER.findall(completion)
    start = AT_START.match(completion)
    if announced or start:
        return str(announced[-1] if announced else start and start[1])
    alone = LETTER.findall(completion)
    return str(alone[-1]) if alone else None


def _mmmu(gold: Gold, completion: str) -> list[Evidence]:
    if mmmu.is_open(gold):
        return [Evidence(tail) for tail in mmmu_rules.tails_in(completion)]
    return [Evidence(mmmu_rules.letter_in(completion, mmmu.options_of(gold)) or "")]


def _last_number(sentence: str) -> str:
    numbers = NUMBER.findall(sentence)
    if not numbers or len(sentence.split()) < SENTENCE_WORDS:
        return sentence
    return str(numbers[-1].replace(",", ""))
