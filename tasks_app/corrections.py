"""Corrected golds in the form that a task's verifiers read; answers that they reject are refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tasks_app import gold_answers
from tasks_app.models import Gold as StoredGold
from tasks_app.questions import questions
from tasks_app.registry import benchmarks
from verifiers import registry
from verifiers.children import ChildPool, VerifierCrash, VerifierTimeout
from verifiers.choice_labels import find_choice
from verifiers.types import Evidence, Gold


def gold_corrected(stored: StoredGold, answers: Sequence[str], *, pool: ChildPool) -> Gold:
    """Build the gold that replaces ``stored``. It has no solution; ``answers`` begins with the reference.

    For a task with choices, each answer is a choice's label or text and becomes a label. The task's
    verifiers, except those that run programs, must accept each answer against the new gold. Raises
    ``ValueError`` with a message that reveals no answer.
    """
    choices = stored.task.payload.get("choices")
    answer, *accepted = labels_read(answers, choices=choices) if choices else answers
    gold = Gold(answer, tuple(accepted), extra=_extra_remaining(stored))
    form = questions.get(stored.task.kind).answer_form
    benchmark = stored.task.benchmark
    for verifier_id in sorted({benchmark.verifier_official, benchmark.verifier_training}):
        if not registry.is_sandboxed(verifier_id, dataset=gold.extra.get("dataset")) and not all(
            _is_accepted(verifier_id, gold, gold_answers.write_gold_answer(text, form=form), pool=pool)
            for text in (answer, *accepted)
        ):
            raise ValueError(f"{verifier_id} does not accept the corrected_answer")
    return gold


def labels_read(answers: Iterable[str], *, choices: Sequence[Mapping[str, Any]]) -> list[str]:
    """List the labels of the named choices, each followed by the labels of identical choices.

    Raises ``ValueError`` if an answer does not name exactly one choice.
    """
    return list(dict.fromkeys(label for answer in answers for label in _labels(answer, choices)))


def _labels(answer: str, choices: Sequence[Mapping[str, Any]]) -> list[str]:
    named = find_choice(answer, {choice["label"]: choice["text"] for choice in choices})
    by_label = [choice for choice in choices if choice["label"] == named]
    by_text = [choice for choice in choices if _plain(choice["text"]) == _plain(answer)]
    if by_label and by_text and by_label[0] not in by_text:
        raise ValueError("the corrected_answer is the label of one choice and the text of another")
    meant = by_label or by_text
    if len({choice["text"] for choice in meant}) != 1:
        labels = ", ".join(choice["label"] for choice in choices)
        raise ValueError(f"the corrected_answer is neither one of {labels} nor the text of just one choice")
    alike = [choice["label"] for choice in choices if choice["text"] == meant[0]["text"]]
    return [meant[0]["label"], *alike]


def _plain(text: str) -> str:
    """Strip dollar signs, which loading puts around a choice that is one formula and errata may omit."""
    plain = " ".join(text.split())
    is_formula = len(plain) > 2 and plain.startswith("$") and plain.endswith("$")
    return plain[1:-1] if is_formula else plain


def _extra_remaining(stored: StoredGold) -> dict[str, Any]:
    """Return the stored ``extra`` without the parts that describe the wrong answer."""
    plugin = benchmarks.get(stored.task.benchmark_id)
    gone = {*plugin.answer_extra, *(plugin.enrichment.keys if plugin.enrichment else ())}
    return {key: value for key, value in stored.extra.items() if key not in gone}


def _is_accepted(verifier_id: str, gold: Gold, answer: str | list[str], *, pool: ChildPool) -> bool:
    evidence = Evidence(answer if isinstance(answer, str) else tuple(answer), gold.extra)
    try:
        return pool.verify(verifier_id, gold=gold, evidence=evidence).correct
    except (VerifierTimeout, VerifierCrash):
        return False
