from __future__ import annotations

from tests.thoughts.judged import DATA, LABELLERS, judged_read
from tests.thoughts.measure import DOCS, SCORES, kappa, scores_text, with_tables
from tests.thoughts.records import episodes_read, labels_read
from trajectories.thoughts.codebook import codebook


def test_pages_and_docs_have_the_figures_that_the_labels_give() -> None:
    judged = judged_read("held_out")
    text = DOCS.read_text(encoding="utf-8")

    assert with_tables(text, judged) == text
    assert scores_text(judged) == SCORES.read_text(encoding="utf-8")


def test_each_sentence_has_a_class_of_each_labeller() -> None:
    sentences = [one.id for episode in episodes_read(DATA / "sample.jsonl") for one in episode.sentences()]
    classes = {one.id for one in codebook().classes}

    for labeller in LABELLERS:
        labels = labels_read(DATA / f"labels_{labeller}.jsonl")
        assert sorted(labels) == sorted(sentences)
        assert set(labels.values()) <= classes


def test_no_question_is_in_both_sets() -> None:
    sets: dict[str, set[str]] = {}
    for episode in episodes_read(DATA / "sample.jsonl"):
        sets.setdefault("\n".join(sorted(episode.question.splitlines())), set()).add(episode.set)

    assert all(len(names) == 1 for names in sets.values())


def test_kappa_is_agreement_beyond_chance() -> None:
    assert kappa([("a", "a"), ("b", "b")]) == 1
    assert kappa([("a", "a"), ("a", "b"), ("b", "a"), ("b", "b")]) == 0
