"""What prefixes of solutions did in a run."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tasks_app.models import Task
from tests import factories
from tests.conftest import ApiClient
from tests.rollouts.episodes.test_guidance import opened, solved
from trajectories.models import Episode, Run

pytestmark = pytest.mark.django_db


def tried(client: ApiClient, run: Run, task: Task, steps: int, *outcomes: str) -> None:
    guidance = {"kind": "prefix", "steps": steps}
    answer = opened(client, task, guidance, run=run.pk, samples_per_task=len(outcomes))
    for one, outcome in zip(answer["episodes"], outcomes, strict=True):
        factories.verdict(Episode.objects.get(pk=one["id"]), outcome)


def test_the_shortest_prefix_with_a_success_is_read_by_task(api: Callable[..., ApiClient]) -> None:
    guide, run, easy, hard = api("trainer", "guidance"), factories.run(), solved(), solved()
    tried(guide, run, easy, 2, "correct", "correct")
    tried(guide, run, easy, 1, "incorrect", "correct", "void")
    tried(guide, run, hard, 2, "incorrect")
    tried(guide, factories.run(), hard, 2, "correct")
    factories.verdict(factories.episode(run=run, task=hard, arm="text_zero_shot"))
    first = {"task": easy.pk, "of": 4, "shortest": 1}
    second = {"task": hard.pk, "of": 4, "shortest": None}
    of_easy = [{"steps": 1, "judged": 2, "correct": 1}, {"steps": 2, "judged": 2, "correct": 2}]
    of_hard = [{"steps": 2, "judged": 1, "correct": 0}]
    reader = api("read")
    status, page = reader.json("GET", f"/runs/{run.pk}/prefixes?limit=1")
    assert status == 200
    assert page["results"] == [{**first, "tries": of_easy}]
    following = reader.json("GET", f"/runs/{run.pk}/prefixes?limit=1&cursor={page['next']}")[1]
    assert following == {"results": [{**second, "tries": of_hard}], "next": None}


def test_a_prefix_after_which_a_person_acted_has_no_success_of_it(api: Callable[..., ApiClient]) -> None:
    run, task = factories.run(), solved()
    tried(api("trainer", "guidance"), run, task, 1, "correct", "incorrect")
    Episode.objects.filter(run=run, verdict__outcome="correct").update(is_taken_over=True)
    (record,) = api("read").json("GET", f"/runs/{run.pk}/prefixes")[1]["results"]
    assert (record["shortest"], record["tries"]) == (None, [{"steps": 1, "judged": 1, "correct": 0}])


def test_a_key_sees_the_prefixes_of_its_splits_alone(api: Callable[..., ApiClient]) -> None:
    run = factories.run()
    tried(api("trainer", "guidance"), run, solved(), 1, "correct")
    limited = api("read", splits=["test"])
    assert limited.json("GET", f"/runs/{run.pk}/prefixes")[1]["results"] == []
