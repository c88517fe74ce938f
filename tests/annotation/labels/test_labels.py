from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.db import connection

from core.errors import GymError
from tests.annotation import scene
from tests.annotation.scene import COMPLETE
from trajectories.annotation.codebook.registry import build_codebook
from trajectories.annotation.labels.answers import Answers, check_answers, prune_answers
from trajectories.annotation.labels.services import LabelConflict
from trajectories.annotation.queues import services
from trajectories.models import AnnotationUnit, Label

UNIT = AnnotationUnit(begin=0, end=20)


def errors(values: dict[str, object], **fields: object) -> str:
    answers = Answers(values=values, **fields)
    return " ".join(check_answers(answers, codebook=build_codebook(), unit=UNIT))


@pytest.mark.parametrize(
    ("values", "fields", "expected"),
    [
        (COMPLETE, {}, ""),
        ({**COMPLETE, "behaviours": []}, {}, ""),
        ({**COMPLETE, "target": None}, {}, "Target: no answer yet."),
        ({**COMPLETE, "type": "wishful"}, {}, "Type: this project's codebook has no answer “wishful”."),
        ({**COMPLETE, "mood": "good"}, {}, "This project's codebook has no field “mood”."),
        ({**COMPLETE, "type": ["reasoning"]}, {}, "Type: more than one answer."),
        ({**COMPLETE, "behaviours": "plan"}, {}, "Behaviours: not a list of answers."),
        ({"type": "empty"}, {}, ""),
        ({"type": "cannot_judge"}, {}, "“Cannot judge” needs a note that says why."),
        ({"type": "cannot_judge"}, {"note": "Klingon"}, ""),
        ({**COMPLETE, "type": "mixed"}, {}, "Mark the sentences to which “Mixed” applies."),
        ({**COMPLETE, "type": "mixed"}, {"spans": [[3, 9]]}, ""),
        ({**COMPLETE, "type": "mixed"}, {"spans": [[3, 90]]}, "A marked part lies outside the unit."),
        (COMPLETE, {"note": "x" * 4_001}, "The note has more than 4,000 characters."),
    ],
)
def test_answers_are_checked_against_the_codebook(
    values: dict[str, object], fields: dict[str, object], expected: str
) -> None:
    assert errors(values, **fields) == expected


def test_what_the_answers_rule_out_is_not_stored() -> None:
    given = Answers(values=COMPLETE, spans=[[0, 2]], links={"plan": 3, "verify": 4})
    pruned = prune_answers(given, codebook=build_codebook())
    assert (pruned.spans, pruned.links) == ([], {"plan": 3})
    given = Answers(values={**COMPLETE, "type": "empty"}, links={"plan": 3})
    pruned = prune_answers(given, codebook=build_codebook())
    assert (pruned.values, pruned.links) == ({"type": "empty"}, {})


@pytest.fixture
def slot(db: None, owner: User) -> int:
    project = scene.project(owner)
    return services.slot_next(scene.annotator(project, owner).pk)


def test_a_correction_is_a_new_version_and_the_old_one_stays(slot: int) -> None:
    scene.label(slot)
    scene.label(slot, version=1, values={**COMPLETE, "target": "both"})
    rows = Label.objects.order_by("version").values_list("version", "values__target")
    assert list(rows) == [(1, "problem"), (2, "both")]


def test_a_repeated_call_changes_nothing(slot: int) -> None:
    first = scene.label(slot)
    assert scene.label(slot, key=first.key).pk == first.pk
    # As from a form that the Back button brought back.
    with pytest.raises(LabelConflict):
        scene.label(slot, key=first.key, values={**COMPLETE, "target": "both"})
    assert Label.objects.get().values["target"] == "problem"


def test_a_second_tab_overwrites_nothing_and_is_shown_the_newer_label(slot: int) -> None:
    scene.label(slot)
    with pytest.raises(LabelConflict, match="in another tab") as conflict:
        scene.label(slot, version=0, values={**COMPLETE, "target": "both"})
    assert conflict.value.current.values["target"] == "problem"
    assert Label.objects.count() == 1


def test_an_incomplete_label_is_refused(slot: int) -> None:
    with pytest.raises(GymError, match="no answer yet"):
        scene.label(slot, values={"type": "reasoning"})
    assert not Label.objects.exists()


def test_a_field_that_the_project_does_not_know_is_refused(slot: int) -> None:
    with pytest.raises(GymError, match="no field"):
        scene.label(slot, values={**COMPLETE, "mood": "good"})


@pytest.mark.parametrize("deed", ["UPDATE", "DELETE", "TRUNCATE"])
def test_no_server_can_change_a_label(db: None, deed: str) -> None:
    roles = ("gym_lab", "gym_arena", "gym_worker", "gym_sandbox", "gym_metrics")
    with connection.cursor() as cursor:
        for role in roles:
            cursor.execute("SELECT has_table_privilege(%s, 'trajectories_label', %s)", [role, deed])
            assert cursor.fetchone() == (False,), role


@pytest.mark.django_db
def test_the_key_of_someone_elses_call_is_refused() -> None:
    one, other = scene.labeller("one"), scene.labeller("other")
    project = scene.project(one, other)
    first, second = (services.slot_next(scene.annotator(project, user).pk) for user in (one, other))
    assert first is not None
    assert second is not None
    key = scene.label(first).key

    with pytest.raises(GymError, match="Someone else already sent this form"):
        scene.label(second, key=key)
    assert Label.objects.count() == 1
