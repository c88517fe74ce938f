from __future__ import annotations

import pytest

from tests.behaviour.thoughts.judged import DATA, judged_read, sampled_read
from tests.behaviour.thoughts.measure import DOCS, SCORES, kappa, scores_text, with_tables
from tests.behaviour.thoughts.records import labels_read
from tests.behaviour.thoughts.sample import in_order
from trajectories.behaviour.thoughts.codebook import codebook


def test_pages_and_docs_have_the_figures_that_the_labels_give() -> None:
    judged = judged_read("held_out")
    text = DOCS.read_text(encoding="utf-8")

    assert with_tables(text, judged, sampled_read("held_out")) == text
    assert scores_text(judged) == SCORES.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["development", "held_out"])
def test_each_sentence_has_a_class_of_each_labeller(name: str) -> None:
    sentences = [one.id for episode in sampled_read(name) for one in episode.sentences()]
    classes = {one.id for one in codebook().classes}

    for path in (DATA / name).glob("labels_*.jsonl"):
        labels = labels_read(path)
        assert sorted(labels) == sorted(sentences)
        assert set(labels.values()) <= classes


def test_no_policy_has_a_question_in_both_sets() -> None:
    sets = [
        {(one.policy, in_order(one.question)) for one in sampled_read(name) if one.question}
        for name in ("development", "held_out")
    ]

    assert not sets[0] & sets[1]


def test_texts_of_others_are_left_out() -> None:
    for episode in sampled_read("held_out"):
        texts = [episode.question, *(step.thought for step in episode.steps)]
        assert episode.is_own != (not any(texts))


def test_kappa_is_agreement_beyond_chance() -> None:
    assert kappa([("a", "a"), ("b", "b")]) == 1
    assert kappa([("a", "a"), ("a", "b"), ("b", "a"), ("b", "b")]) == 0
