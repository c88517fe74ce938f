"""The page of a run's samplers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tasks_app.models import Gold
from tests import factories
from tests.conftest import LabClient
from tests.rollouts.samplers_pages.scene import principal_make, sampler_make
from trajectories.models import Run
from trajectories.rollouts.samplers import services
from trajectories.rollouts.samplers.plans import SamplerPlan, SamplerTasks

pytestmark = pytest.mark.django_db
Lab = Callable[[Any], LabClient]


@pytest.fixture
def trained() -> Run:
    return factories.run(kind="train", name="<b>trained</b>")


def test_it_says_how_the_sampler_draws_and_what_it_drew_and_why(lab: Lab, owner: Any, trained: Run) -> None:
    sampler = sampler_make(trained, horizon={"kind": "multiplicative", "start": 4, "end": 12})

    page = lab(owner).get(f"/runs/{trained.pk}/curation").content.decode()

    assert "<strong>success band</strong>: low 0.25, high 0.75" in page
    assert "&lt;b&gt;trained&lt;/b&gt;" in page
    assert "Draw 3" in page
    assert f'href="?sampler={sampler.pk}&amp;draw=2#draw"' in page
    drawn = sampler.made.get(number=3)
    for item in drawn.items:
        assert f'href="/tasks/{item["task"]}/"' in page
        assert f"/search?run={trained.pk}&amp;task={item['task']}" in page
    assert "Groups that teach by draw" in page
    assert "Success by difficulty by draw" in page
    assert "Step budget by draw" in page
    assert "Easy, draw 2: 3 of 6 (50%)" in page
    assert "exploration: " in page


def test_groups_that_teach_are_charted_for_draws_from_before_they_were_counted_too(
    lab: Lab, owner: Any, trained: Run
) -> None:
    older, newer = sampler_make(trained).made.filter(number__gt=1).order_by("number")
    del older.summary["teaching"]
    older.summary.update(groups=4, degenerate=3)
    newer.summary.update(groups=4, degenerate=1, teaching=2)
    for draw in (older, newer):
        draw.save()

    page = lab(owner).get(f"/runs/{trained.pk}/curation").content.decode()

    assert "Groups, draw 2: 1 of 4 (25%)" in page
    assert "Groups, draw 3: 2 of 4 (50%)" in page


def test_another_draw_and_another_sampler_can_be_looked_at(lab: Lab, owner: Any, trained: Run) -> None:
    older, newer = sampler_make(trained), sampler_make(trained, draws=0)
    client = lab(owner)

    assert "No draws yet." in client.get(f"/runs/{trained.pk}/curation").content.decode()
    page = client.get(f"/runs/{trained.pk}/curation?sampler={older.pk}&draw=1").content.decode()
    assert '<h2 id="draw">Draw 1</h2>' in page
    assert f'href="?sampler={older.pk}&amp;draw=2#draw"' in page
    assert f'href="?sampler={newer.pk}"' in page


def test_a_sampler_older_than_those_listed_can_be_looked_at(
    lab: Lab, owner: Any, trained: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trajectories.rollouts.samplers.pages.page.SAMPLERS_SHOWN", 1)
    older, newer = sampler_make(trained), sampler_make(trained)

    page = lab(owner).get(f"/runs/{trained.pk}/curation?sampler={older.pk}").content.decode()

    assert f'href="?sampler={older.pk}&amp;draw=2#draw"' in page
    assert f'href="?sampler={newer.pk}"' in page


@pytest.mark.parametrize("query", ["sampler=0", "sampler=x", "draw=4", "draw=x", "draw=99999999999999999999"])
def test_what_is_not_there_is_not_found(lab: Lab, owner: Any, trained: Run, query: str) -> None:
    sampler_make(trained)

    assert lab(owner).get(f"/runs/{trained.pk}/curation?{query}").status_code == 404


def test_strategies_without_posteriors_have_their_reasons_too(lab: Lab, owner: Any, trained: Run) -> None:
    sampler_make(trained, strategy={"kind": "without_replacement"}, difficulty={"start": 0.5})

    page = lab(owner).get(f"/runs/{trained.pk}/curation").content.decode()

    assert "epoch 3" in page
    assert "posterior means" not in page
    assert "start 0.5, end 1, draws 100" in page


def test_guidance_that_was_drawn_is_shown_and_why_there_is_none(lab: Lab, owner: Any, trained: Run) -> None:
    sampler = sampler_make(trained, tasks=2, draws=0, strategy={"kind": "paired"})
    first = Gold.objects.order_by("pk")[:1]
    Gold.objects.filter(pk__in=first.values("pk")).update(steps=["a", "b", "c", "d", "e"], clean_steps=4)

    services.sampler_draw(sampler_id=sampler.pk, count=2, number=None, principal=principal_make())

    page = lab(owner).get(f"/runs/{trained.pk}/curation").content.decode()
    assert "2 tasks, 24 episodes" in page
    assert "<td>first 2 of 5 steps</td>" in page
    assert "<td>no prefix: no solution</td>" in page


def test_a_run_without_a_sampler_says_so_and_its_page_leads_here(lab: Lab, owner: Any, trained: Run) -> None:
    assert "This run has no sampler." in lab(owner).get(f"/runs/{trained.pk}/curation").content.decode()
    assert f'href="/runs/{trained.pk}/curation"' in lab(owner).get(f"/runs/{trained.pk}/").content.decode()


def test_the_page_of_an_evaluation_leads_here_if_it_has_a_sampler(lab: Lab, owner: Any) -> None:
    run, client = factories.run(kind="eval"), lab(owner)
    link = f'href="/runs/{run.pk}/curation"'

    assert link not in client.get(f"/runs/{run.pk}/").content.decode()
    sampler_make(run)
    assert link in client.get(f"/runs/{run.pk}/").content.decode()


def test_more_tasks_and_draws_cost_no_more_queries(lab: Lab, owner: Any, trained: Run) -> None:
    client, counts = lab(owner), []
    for draws in (2, 8):
        sampler_make(trained, draws=draws)
        with CaptureQueriesContext(connection) as queries:
            client.get(f"/runs/{trained.pk}/curation")
        counts.append(len(queries))

    assert counts[0] == counts[1]


def test_a_course_shows_its_stages_and_why_it_moved_on(lab: Lab, owner: Any, trained: Run) -> None:
    first, *_ = [factories.task(tags=[f"stage:{stage}"]) for stage in (1, 1, 2, 2)]
    until = [{"component": "outcome", "at_least": 0.5}]
    strategy = {"kind": "stages", "window": 10, "stages": [{"stage": one, "until": until} for one in (1, 2)]}
    principal = principal_make()
    sampler = services.sampler_create(
        run_id=trained.pk,
        plan=msgspec.convert({"strategy": strategy}, SamplerPlan),
        filters=SamplerTasks(),
        seed=7,
        principal=principal,
    )
    for number, right in ((1, 4), (2, 2), (3, 0)):
        services.sampler_draw(sampler_id=sampler.pk, count=2, number=number, principal=principal)
        group = factories.group(run=trained, task=first)
        for sample in range(10):
            outcome = "correct" if sample < right else "incorrect"
            factories.verdict(factories.episode(group=group), outcome)
    moved = factories.group(run=trained, task=first)
    for _ in range(10):
        factories.verdict(factories.episode(group=moved), "correct")
    services.sampler_draw(sampler_id=sampler.pk, count=2, number=4, principal=principal)

    page = lab(owner).get(f"/runs/{trained.pk}/curation").content.decode()

    assert "(stage 1, until (at least 0.5, component outcome))" in page
    assert "Stage by draw" in page
    assert "Criteria of stage 1 by draw" in page
    assert "draw 2: outcome 0.4 (at least 0.5; 10 episodes)" in page
    assert (
        "Stage 2 since draw 4: the criteria of the previous stage hold: outcome 1 (at least 0.5; 10 "
        "episodes): outcome not known yet (at least 0.5; 0 judged episodes)."
    ) in page
    assert "earlier stage 1" in page
