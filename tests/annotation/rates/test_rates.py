"""From labels to the table of rates."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.db import connection

from tests import factories
from tests.annotation import scene
from tests.annotation.scene import COMPLETE
from trajectories.annotation.codebook.registry import build_codebook
from trajectories.annotation.queues import services
from trajectories.annotation.rates.selectors import RateUnit, rate_label, read_rate_units
from trajectories.annotation.rates.table import GROUPINGS, RateFigures, Rates, figures
from trajectories.models import AnnotationProject, Annotator, Label, Run, Step, Verdict

CHOICE = [("type", "reasoning"), ("type", "mixed")]
NARRATION = {**COMPLETE, "type": "narration"}


@pytest.mark.parametrize(
    ("values", "choice", "expected"),
    [
        ({"type": "mixed"}, CHOICE, 1.0),
        ({"type": "narration", "behaviours": ["plan"]}, CHOICE, 0.0),
        ({"type": "narration", "behaviours": ["plan"]}, [("behaviours", "plan"), ("type", "mixed")], 1.0),
        ({"type": "narration"}, [("target", "problem")], None),
        ({"type": "empty"}, [("target", "problem")], 0.0),
        ({"type": "cannot_judge"}, CHOICE, None),
        ({"type": "hidden"}, CHOICE, 0.0),
        ({}, CHOICE, None),
    ],
)
def test_a_label_has_an_answer_or_not_or_does_not_say(
    values: dict[str, Any], choice: list[tuple[str, str]], expected: float | None
) -> None:
    assert rate_label(values, codebook=build_codebook(), choice=choice) == expected


@pytest.fixture
def people(db: None) -> list[User]:
    return [scene.labeller("one"), scene.labeller("two")]


def labelled(people: list[User], *given: dict[str, Any]) -> AnnotationProject:
    """A project of one step, of which each person gave one of these answers."""
    project = scene.project(*people, of=scene.episodes(1, steps=1))
    for user, values in zip(people, given, strict=True):
        scene.label(services.slot_next(scene.annotator(project, user).pk), values=values)
    return project


def unit_of(project: AnnotationProject) -> RateUnit:
    (unit,) = read_rate_units(project, codebook=build_codebook(), choice=CHOICE)
    return unit


def label(project: AnnotationProject, annotator: Annotator, **fields: Any) -> None:
    values = {"state": "done", "values": COMPLETE, "version": 1, "key": scene.saving().key, **fields}
    Label.objects.create(unit=project.units.get(), annotator=annotator, codebook=project.codebook, **values)


def test_people_are_averaged_until_their_answer_is_settled(people: list[User]) -> None:
    project = labelled(people, COMPLETE, NARRATION)
    assert (unit_of(project).people, unit_of(project).words) == (0.5, 8)
    label(project, scene.annotator(project, people[0]), layer="adjudicated", values=NARRATION)
    assert unit_of(project).people == 0.0


def test_a_correction_counts_and_repeats_machines_and_golds_do_not(people: list[User]) -> None:
    project = labelled(people, NARRATION, NARRATION)
    first = scene.annotator(project, people[0])
    label(project, first, version=2)
    label(project, first, is_repeat=True)
    machine = Annotator.objects.create(project=project, kind="rules", name="Rules")
    label(project, machine)
    unit = unit_of(project)
    assert (unit.people, unit.machines) == (0.5, {machine.pk: 1.0})
    label(project, first, version=3, state="skipped", values={})
    assert unit_of(project).people == 0.0
    project.units.update(gold={"values": {}})
    assert read_rate_units(project, codebook=build_codebook(), choice=CHOICE) == []


def test_units_know_where_they_come_from(people: list[User]) -> None:
    run = factories.run(name="first")
    (episode,) = scene.episodes(1, steps=1, run=run, policy_version=3)
    factories.submission(episode)
    factories.verdict(episode, outcome="incorrect")
    unit = unit_of(scene.project(*people, of=[episode]))
    assert (unit.arm, unit.run_name, unit.version, unit.outcome) == ("gym", "first", 3, "incorrect")
    assert (unit.people, unit.machines) == (None, {})


def units(count: int = 240) -> list[RateUnit]:
    """Two arms; the page's thoughts are longer, and half as often labelled as reasoning at equal length."""
    rng = np.random.default_rng(4)
    made = []
    for number in range(count):
        arm = ("gym", "text")[number % 2]
        words = int(rng.integers(1, 60 if arm == "text" else 120))
        chance = (0.9 if arm == "text" else 0.3) * (1 if words > 30 else 0.2)
        made.append(
            RateUnit(
                unit=number, episode=number // 4 * 2 + number % 2, step=1, paragraph=0, stratum=arm,
                weight=1.0 if arm == "gym" else 3.0, words=words, arm=arm, run=1,
                run_name="run", version=None, task=number // 16,
                outcome=("correct", "incorrect")[number // 4 % 2],
                people=float(rng.random() < chance) if number % 3 else None,
                machines={7: float(rng.random() < chance)},
            )
        )  # fmt: skip
    return made


def test_each_figure_is_what_numpy_gives() -> None:
    made = Rates(units=units(), grouping=GROUPINGS["arm"])
    rows = {row.label: row for row in made.rows}
    for arm in ("gym", "text"):
        own = [unit for unit in units() if unit.arm == arm and unit.people is not None]
        assert rows[arm].rate.value == pytest.approx(np.mean([unit.people for unit in own]))
        assert (rows[arm].units, rows[arm].trajectories) == (len(own), len({unit.episode for unit in own}))
    known = [unit for unit in units() if unit.people is not None]
    total = np.average([unit.people for unit in known], weights=[unit.weight for unit in known])
    assert rows["All"].rate.value == pytest.approx(total)
    assert rows["text"].rate.value - rows["text"].by_length == pytest.approx(rows["text"].beyond.value)
    assert rows["text"].beyond.low > 0 > rows["gym"].beyond.high
    assert rows["All"].matched is None
    assert rows["text"].matched.low > rows["gym"].matched.high
    assert 0 < made.common_weight <= 1


def test_machines_and_success_by_the_same_groups() -> None:
    made = Rates(units=units(), grouping=GROUPINGS["arm"])
    corrected = {group.label: one for group, one in made.corrected(7)}
    assert list(corrected) == ["All", "gym", "text"]
    assert (corrected["gym"].units, corrected["gym"].more_units) == (80, 40)
    assert corrected["gym"].people.value == made.rows[1].rate.value
    assert [label for label, _ in made.successes] == ["All", "gym", "text"]
    assert made.successes[0][1].informative == 15
    assert made.corrected(8)[0][1].reason


def test_other_groupings_and_a_project_without_labels() -> None:
    assert [row.label for row in Rates(units=units(), grouping=GROUPINGS["run"]).rows] == [
        "All",
        "run (run 1)",
    ]
    assert Rates(units=units(), grouping=GROUPINGS["version"]).rows[1].label == "no version"
    nothing = Rates(units=[], grouping=GROUPINGS["arm"])
    assert (nothing.rows, nothing.corrected(7), nothing.common_weight) == ([], [], None)
    assert nothing.successes[0][1].reason


def test_a_thought_of_many_paragraphs_counts_as_one_step(people: list[User]) -> None:
    (long,) = scene.episodes(1, steps=1, thought="\n\n".join("It counts the rooms. " * 15 for _ in range(3)))
    (short,) = scene.episodes(1, steps=1)
    project = scene.project(people[0], of=[long, short], overlap_people=1)
    annotator = scene.annotator(project, people[0])
    while (slot := services.slot_next(annotator.pk)) is not None:
        unit = project.units.get(slots=slot)
        scene.label(slot, values=NARRATION if unit.episode_id == long.pk else COMPLETE)

    made = Rates(
        units=read_rate_units(project, codebook=build_codebook(), choice=CHOICE), grouping=GROUPINGS["arm"]
    )

    assert len(made.labelled) == 4
    assert made.rows[0].rate.value == pytest.approx(0.5)


def test_units_of_before_get_their_part_of_the_step(people: list[User]) -> None:
    thought = "\n\n".join("It counts the rooms. " * 15 for _ in range(3))
    project = scene.project(*people, of=scene.episodes(2, steps=2, thought=thought))
    project.units.filter(paragraph__gt=0).update(weight=2.0)
    migration = import_module("trajectories.migrations.0006_annotation_paragraph_weights")
    with connection.cursor() as cursor:
        cursor.execute(migration.SQL.format(sign="/"))
    assert [unit.weight for unit in project.units.all()] == [pytest.approx(2 / 3)] * 12


def test_figures_are_remembered_until_they_can_be_others(people: list[User]) -> None:
    episodes = scene.episodes(2, steps=2)
    for episode in episodes:
        factories.submission(episode)
        factories.verdict(episode, outcome="incorrect")
    project = scene.project(people[0], of=episodes, overlap_people=1)
    annotator = scene.annotator(project, people[0])
    for _ in range(3):
        scene.label(services.slot_next(annotator.pk))

    def read() -> RateFigures:
        return figures(project, choice=CHOICE, grouping=GROUPINGS["run"])

    def change_label() -> None:
        scene.label(services.slot_next(annotator.pk), values=NARRATION)

    def mark_gold() -> None:
        project.units.filter(pk=project.units.all()[0].pk).update(gold={"values": {}})

    before = read()
    assert before.rows[0].rate.value == 1.0
    for change in (
        change_label,
        lambda: Annotator.objects.create(project=project, kind="rules", name="Rules"),
        mark_gold,
        lambda: Verdict.objects.filter(episode=episodes[0]).update(outcome="correct", reward=1.0),
        lambda: Run.objects.update(name="renamed"),
        lambda: Step.objects.filter(episode=episodes[1]).delete(),
    ):
        assert read() is before
        change()
        after = read()
        assert after is not before
        before = after
    assert before.rows[1].label.startswith("renamed")
    assert before.rows[0].trajectories == 1
