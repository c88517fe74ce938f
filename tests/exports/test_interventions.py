from __future__ import annotations

import pytest

from tests import factories
from tests.exports import scene
from trajectories.models import Episode

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_storages")]
COPIED, TEXT = scene.COPIED, scene.INTERVENTION


def _failed() -> Episode:
    group = factories.group(arm="text_zero_shot", run=factories.run(kind="train"))
    return scene.answered(group, f"{COPIED}I add them.", outcome="incorrect")


def test_a_row_ends_with_the_words_from_which_a_continuation_was_right() -> None:
    parent = _failed()
    made = scene.intervened(parent, "incorrect", "correct", "void", "incorrect", "incorrect")
    (row,) = scene.rows_of(scene.exported("interventions"))
    assert (row["intervention"], row["parent_episode"]) == (made.pk, parent.pk)
    assert (row["judged"], row["correct"], row["success_rate"]) == (4, 1, 0.25)
    assert row["completion"] == [{"role": "assistant", "content": COPIED + TEXT}]
    assert row["prompt"][-1]["role"] == "user"
    assert row["exact"]
    content = row["completion"][0]["content"]
    parts = [(one["kind"], content[one["begin"] : one["end"]]) for one in row["spans"]]
    assert parts == [("copied", COPIED), ("intervention", TEXT)]


def test_guidance_before_the_words_is_exported_with_its_place() -> None:
    made = scene.intervened(_failed(), "correct")
    place = {"kind": "hint", "hash": "ab", "message": 1, "part": None, "start": 3, "end": 9}
    Episode.objects.filter(group=made.group).update(guidance=place)
    (row,) = scene.rows_of(scene.exported("interventions", origins=["guided"]))
    assert row["guidance"] == place


def test_interventions_that_helped_nobody_are_left_out_and_counted() -> None:
    parent = _failed()
    scene.intervened(parent, "incorrect", "incorrect")
    scene.intervened(parent, "correct")
    fork = factories.episode(
        group=factories.group(run=parent.run, task=parent.task, arm=parent.arm), parent=parent
    )
    factories.verdict(fork, "correct")
    export = scene.exported("interventions")
    assert len(scene.rows_of(export)) == 1
    left_out = export.result["left_out"]
    assert (left_out["no_success"], left_out["no_intervention"]) == (1, 1)


def test_what_did_not_go_on_from_the_words_is_no_success_of_theirs() -> None:
    scene.intervened(_failed(), "correct", begun="Quite another beginning.")
    export = scene.exported("interventions")
    assert export.state == "failed"
    scene.intervened(_failed(), "correct")
    export = scene.exported("interventions")
    assert len(scene.rows_of(export)) == 1
    assert export.result["left_out"]["other_beginning"] == 1


def test_a_continuation_that_a_person_took_over_is_no_success_of_the_policy() -> None:
    scene.intervened(_failed(), "correct")
    made = scene.intervened(_failed(), "correct", "incorrect")
    Episode.objects.filter(group=made.group_id, verdict__outcome="correct").update(is_taken_over=True)
    export = scene.exported("interventions")
    assert len(scene.rows_of(export)) == 1
    left_out = export.result["left_out"]
    assert (left_out["no_success"], left_out["taken_over"]) == (1, 1)


def test_continuations_are_in_no_other_export_by_default() -> None:
    scene.intervened(_failed(), "correct")
    assert scene.exported("sft").state == "failed"
