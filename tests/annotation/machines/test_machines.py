"""Machines as annotators: their labels are added, once for a unit, and never counted among people's."""

from __future__ import annotations

import json
from io import StringIO

import httpx
import pytest
from django.core.management import CommandError, call_command

from core.errors import GymError
from tests.annotation import scene
from trajectories.annotation.agreement.selectors import read_labelled_units
from trajectories.annotation.machines import services
from trajectories.annotation.machines.endpoint import JudgeUnreachable
from trajectories.annotation.machines.judge import Judge
from trajectories.models import AnnotationJob, AnnotationProject, Annotator, Label, Step

RIGHT = json.dumps({"type": "reasoning", "target": "problem", "behaviours": [], "contradiction": "none"})


@pytest.fixture
def project(db: None) -> AnnotationProject:
    return scene.project(scene.labeller("person"), of=scene.episodes(3, steps=4))


def judge(replies: dict[int, str | int]) -> Judge:
    """Answers right, and at the given calls otherwise: a text, or an HTTP status."""
    calls = iter(range(1_000))

    def answer(_request: httpx.Request) -> httpx.Response:
        reply = replies.get(next(calls), RIGHT)
        if isinstance(reply, int):
            return httpx.Response(reply)
        return httpx.Response(200, json={"choices": [{"message": {"content": reply}}]})

    client = httpx.Client(transport=httpx.MockTransport(answer))
    return Judge(url="http://judge.test/v1", model="m", client=client, pause=lambda _: None)


def test_the_rules_label_each_unit_once(project: AnnotationProject) -> None:
    seen: list[tuple[int, int]] = []
    job = AnnotationJob.objects.create(project=project, kind="machine", parameters={"machine": "rules"})
    result = services.machine_label(job, lambda done, total: seen.append((done, total)))
    assert (result["labelled"], result["unusable"], result["deleted"], seen[-1]) == (12, 0, 0, (12, 12))
    assert services.machine_label(job, lambda *_: None)["labelled"] == 0
    assert Label.objects.count() == 12
    machine = Annotator.objects.get(kind="rules")
    assert (machine.settings["version"], machine.user) == (result["annotator"].split()[-1], None)
    assert set(Label.objects.values_list("layer", "is_repeat", "version")) == {("blind", False, 1)}
    assert all(
        "type" in values and "target" not in values
        for values in Label.objects.values_list("values", flat=True)
    )
    assert read_labelled_units(project) == []


def test_a_judge_goes_on_where_it_was_cut_off(project: AnnotationProject) -> None:
    with pytest.raises(JudgeUnreachable):
        services.judge_label(project, judge({7: 403}), lambda *_: None)
    first = Label.objects.count()
    assert 0 < first < 12
    result = services.judge_label(project, judge({}), lambda *_: None)
    assert (result["labelled"], Label.objects.count()) == (12 - first, 12)
    annotator = Annotator.objects.get(kind="model")
    assert annotator.settings.keys() == {
        "model",
        "endpoint",
        "prompt",
        "version",
        "temperature",
        "max_tokens",
        "schema",
    }


def test_labels_are_stored_although_the_workers_time_is_over(project: AnnotationProject) -> None:
    class Over(Exception):
        pass

    def progress(done: int, total: int) -> None:
        assert total == 12
        if done:
            raise Over

    for _ in range(2):
        before = Label.objects.count()
        with pytest.raises(Over):
            services.judge_label(project, judge({}), progress)
        assert Label.objects.count() > before or before == 12


def test_nonsense_is_counted_and_stored_as_no_answer(project: AnnotationProject) -> None:
    nonsense = dict.fromkeys(range(100), "I would rather not.")
    result = services.judge_label(project, judge(nonsense), lambda *_: None)
    assert (result["labelled"], result["unusable"]) == (0, 12)
    label = Label.objects.order_by("pk")[0]
    assert (label.state, label.values) == ("skipped", {})
    assert "I would rather not." in label.note


def test_deleted_steps_and_golds_are_left_out(project: AnnotationProject) -> None:
    unit = project.units.order_by("pk")[0]
    Step.objects.filter(episode_id=unit.episode_id, index=unit.step).delete()
    project.units.filter(pk=project.units.order_by("-pk")[0].pk).update(gold={"values": {}})
    result = services.judge_label(project, judge({}), lambda *_: None)
    assert (result["labelled"], result["deleted"]) == (10, 1)
    assert services.rules_label(project, lambda *_: None)["deleted"] == 1


def test_without_a_setting_there_is_no_judge(project: AnnotationProject, settings: object) -> None:
    job = AnnotationJob.objects.create(
        project=project, kind="machine", parameters={"machine": "model", "url": "http://127.0.0.1:1/"}
    )
    with pytest.raises(GymError, match="ANNOTATION_JUDGE_URL"):
        services.machine_label(job, lambda *_: None)


def test_the_command_does_the_same(project: AnnotationProject) -> None:
    out = StringIO()
    call_command("label_units", str(project.pk), "--rules", stdout=out)
    assert "12 labelled, 0 without a usable answer" in out.getvalue()
    with pytest.raises(CommandError, match="NO_SUCH_KEY is not set"):
        call_command(
            "label_units", str(project.pk), "--model", "m", "--url", "http://x/v1", "--key-env", "NO_SUCH_KEY"
        )
    with pytest.raises(CommandError, match="--url"):
        call_command("label_units", str(project.pk), "--model", "m")
    with pytest.raises(CommandError, match="no annotation project"):
        call_command("label_units", "999999", "--rules")
