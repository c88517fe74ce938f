"""Every gold and worked solution at hand arrives in a field as it is, in every grammar."""

from __future__ import annotations

import pytest

from palaestra.grammars import GRAMMARS, Grammar
from tasks_app.registry import benchmarks
from tasks_app.starters import starter_drafts
from tasks_app.types import TaskDraft
from tests.tasks_app import samples

OFFICIAL = {
    "aime": "aime",
    "amc": "amc",
    "arc": "arc",
    "chartqa": "chartqa/ChartQA Dataset",
    "gsm8k": "gsm8k/train.jsonl",
    "math": "math/train.jsonl",
    "math500": "math500/test.jsonl",
    "mbpp": "mbpp/mbpp.jsonl",
    "mmlu": "mmlu/data",
    "mmmu": "mmmu",
    "scienceqa": "scienceqa",
    "wikitable": "wikitablequestions",
}


def texts_of(benchmark: str) -> set[str]:
    """The golds and worked solutions of the starter tasks, and of the official file where there is one."""
    drafts = list(starter_drafts(benchmark))
    if benchmark in OFFICIAL:
        rows = samples.read(benchmark, samples.shared(OFFICIAL[benchmark]))
        drafts += [row for row in rows if isinstance(row, TaskDraft)]
    return {text for draft in drafts for text in (draft.gold.answer, draft.gold.solution) if text}


def arriving(grammar: Grammar, text: str) -> str:
    [completion] = grammar.render({"type": "type", "text": text}, thought="So I write it down.")
    turn = grammar.parse(completion, frozenset())
    return turn.declared["text"] if turn.declared else f"refused: {turn.parse_error}"


@pytest.mark.slow
@pytest.mark.parametrize("benchmark", list(benchmarks))
def test_a_gold_arrives_as_it_is_in_every_grammar(benchmark: str) -> None:
    texts = texts_of(benchmark)
    assert texts
    for grammar in GRAMMARS.values():
        lost = [text for text in sorted(texts) if arriving(grammar, text) != text.replace("\r\n", "\n")]
        assert lost == [], grammar.id
