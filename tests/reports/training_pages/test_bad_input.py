"""What the pages of training and transfer say where they cannot say a number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests import factories
from tests.conftest import LabClient
from tests.reports.pages.test_bad_input import sound_text
from tests.reports.training import scene
from trajectories.models import Run

pytestmark = pytest.mark.django_db
CHECKPOINTS = ("base", "step-1")
ARMS = ("text_zero_shot", "gym")


def trained(outcome: str, *, tasks: int = 3, samples: int = 4) -> Run:
    """Four versions of whose episodes all end alike; none for \"\"."""
    run = scene.training_run()
    scene.version_add(run, 1, checkpoint="step-1")
    played = [factories.task() for _ in range(tasks)] if outcome else []
    for version in range(4):
        scene.version_play(run, version, played, lambda *_: outcome, samples=samples)
    return run


def evaluated(is_right: bool, *, items: int = 20, template: str = "", is_shared: bool = True) -> None:
    """Both checkpoints as text and as a page; the later one with ``template`` or on items of its own."""
    tasks = [factories.task() for _ in range(items)]
    for checkpoint in CHECKPOINTS:
        if not is_shared:
            tasks = [factories.task() for _ in range(items)]
        for arm in ARMS:
            run = scene.evaluated(checkpoint, arm, tasks, lambda _: is_right)
            if template and checkpoint != CHECKPOINTS[0]:
                run.groups.update(template=template)


def void() -> Run:
    return trained("void")


def opened() -> Run:
    run = scene.training_run()
    factories.episode(group=factories.group(run=run, policy_version=1), policy_version=1)
    return run


def all_right() -> Run:
    evaluated(is_right=True)
    return trained("correct")


def all_wrong() -> Run:
    evaluated(is_right=False)
    return trained("incorrect")


def few() -> Run:
    evaluated(is_right=True, items=5)
    return trained("correct", tasks=1, samples=1)


def mixed() -> Run:
    evaluated(is_right=True, template="prompts-v3a")
    return trained("correct")


def unshared() -> Run:
    evaluated(is_right=True, is_shared=False)
    return trained("correct")


NOT_COMPARED = "on the same items in the same set-up both as text and as a page"


@pytest.mark.parametrize(
    ("make", "texts"),
    [
        (void, ["Every episode is void", "no group has two judged samples", "No evaluation belongs"]),
        (opened, ["No episode with a policy version has ended"]),
        (
            all_right,
            ["no item differs", "the gap changes by the same amount on every item", "cannot say: 4 of at"],
        ),
        (all_wrong, ["no item differs", "the gap changes by the same amount on every item"]),
        (few, ["fewer than 10 items", "no group has two judged samples"]),
        (mixed, [NOT_COMPARED, "not comparable, the set-ups differ: prompt version prompts-v3"]),
        (unshared, [NOT_COMPARED, "no item has judged answers before and after"]),
    ],
)
def test_the_page_says_what_it_cannot_say_and_why(
    lab: Callable[[Any], LabClient], owner: Any, make: Callable[[], Run], texts: list[str]
) -> None:
    run, client = make(), lab(owner)

    text = sound_text(client.get(f"/runs/{run.pk}/training").content.decode())
    transfer = sound_text(client.get("/transfer/").content.decode())

    assert [one for one in texts if one not in text] == []
    reasons = [one for one in texts if one.startswith(("no item has", "not comparable", "the gap changes"))]
    assert [one for one in reasons if one not in transfer] == []
