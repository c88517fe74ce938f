"""A person acts for the agent in their own browser: the bar, the frame, and what becomes a step."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.conf import settings
from django.db.models import F, Value
from django.db.models.functions import Concat
from playwright.sync_api import FrameLocator, Page, expect

from core.episodes.tokens import person_token_make
from tasks_app.models import Gold
from tests import factories
from tests.e2e.conftest import ArenaServer
from tests.e2e.test_arena_pages import settled
from tests.e2e.test_site_frame import SAMPLE
from trajectories.models import Episode, SiteEvent, Step, Submission, Takeover
from trajectories.record.api.auth import Principal
from trajectories.rollouts.episodes import takeovers
from trajectories.rollouts.episodes.forks import creation
from trajectories.rollouts.episodes.forks.creation import Fork

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

OpenPage = Callable[..., Page]
ANYBODY = Principal(key_id=0, name="test", scopes=frozenset({"trainer"}), splits=frozenset(), project=None)
NOW_LATER = timedelta(days=1)
BEGUN = "html[data-acts=recorded]:not([data-met])"


def take(episode: Episode, arena: ArenaServer, page: Page) -> FrameLocator:
    """Follow the link as the person, and return the page in the frame once it can be acted on."""
    url = takeovers.takeover_begin(episode_id=episode.pk, person="Ada", principal=ANYBODY)["url"]
    page.goto(f"{arena.url}/takeover/{url.rpartition('/')[2]}")
    return ready(page)


def ready(page: Page) -> FrameLocator:
    """The page in the frame once the next document, never the one that is being left, can be acted on."""
    frame = page.frame_locator("iframe")
    frame.locator(BEGUN).evaluate("root => { root.dataset.met = 'yes'; }")
    return frame


def answer_type(frame: FrameLocator, text: str) -> None:
    """Open the task and type into its first field, which nobody could before it is shown."""
    frame.locator(".task-fold > summary").click()
    field = frame.locator(".task-answer input[type=text]").first
    expect(field).to_be_visible()
    field.press_sequentially(text)


def steps_of(episode: Episode) -> list[dict[str, Any]]:
    return list(Step.objects.filter(episode=episode).order_by("index").values("index", "action", "actor"))


def actions_of(page: Page, episode: Episode, count: int) -> list[str]:
    """The types of the actions once there are so many."""
    expect(page.locator("[data-steps]")).to_have_text(f"{count} step{'' if count == 1 else 's'}")
    return [step["action"]["type"] for step in steps_of(episode)]


def site_episode() -> Episode:
    task = factories.task(kind=SAMPLE.kind, payload=dict(SAMPLE.payload), prompt=SAMPLE.prompt)
    return factories.episode(task=task, virtual_start=datetime(2028, 2, 29, 9, tzinfo=UTC), max_steps=20)


def test_a_demonstration_on_a_question_is_steps_of_a_person(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    episode = factories.episode()
    page = open_page(viewport={"width": 1280, "height": 800})
    frame = take(episode, arena_server, page)
    frame.get_by_role("textbox").press_sequentially("42")
    frame.get_by_role("button").last.click()
    expect(frame.get_by_role("heading", level=1)).to_have_text("Answer recorded")
    typed, clicked = Step.objects.filter(episode=episode).order_by("index")
    assert {typed.actor, clicked.actor} == {"person"}
    assert (typed.segment, clicked.segment) == ("correction", "correction")
    assert typed.action["text"] == "42"
    assert typed.action["clear"]
    assert f"[{typed.action['target']}] textbox" in typed.observation_text
    assert typed.observation_text.startswith('page "')
    assert "https://gym/" in typed.observation_text
    token = person_token_make(takeover_id=Takeover.objects.get().pk, key=settings.TOKEN_KEY)
    assert token not in typed.observation_text + clicked.observation_text
    assert f"[{clicked.action['target']}] button" in clicked.observation_text
    assert 'value="42"' in clicked.observation_text
    assert Submission.objects.get(episode=episode).answer == "42"
    assert SiteEvent.objects.get(episode=episode, kind="answer_recorded").step == 2


def test_acts_on_a_site_have_the_numbers_of_what_they_led_to(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    episode = site_episode()
    page = open_page(viewport={"width": 1280, "height": 800})
    frame = take(episode, arena_server, page)
    frame.get_by_role("link", name="Trips").first.click()
    expect(frame.get_by_role("heading", level=1)).to_contain_text("trip", ignore_case=True)
    assert actions_of(page, episode, 1) == ["click"]
    served = SiteEvent.objects.filter(episode=episode, kind="page_served").order_by("seq")
    assert list(served.values_list("step", flat=True)) == [None, 1]
    keys = " ".join(
        Step.objects.filter(episode=episode).order_by("index").values_list("more__element_ids", flat=True)
    ).split()
    assert len(keys) == len(set(keys)) > 1


def test_a_person_and_an_agent_take_turns(arena_server: ArenaServer, open_page: OpenPage) -> None:
    episode = site_episode()
    agent = open_page(extra_http_headers={"X-Gym-Step": "1"})
    agent.goto(arena_server.address(episode))
    settled(agent)
    factories.step(episode, 1)
    person = open_page(viewport={"width": 1280, "height": 800})
    frame = take(episode, arena_server, person)

    agent.goto(arena_server.address(episode, "trips"))
    expect(agent.get_by_role("heading", level=1)).to_have_text("A person has taken over")
    frame.get_by_role("link", name="Trips").first.click()
    assert actions_of(person, episode, 1)[1:] == ["click"]
    ready(person)
    person.get_by_role("button", name="Mark as correction").click()
    expect(person.locator("[data-state] .tag")).to_have_text("correction")
    answer_type(frame, "L-1")
    person.get_by_role("button", name="Hand back").click()
    expect(person.get_by_role("heading", level=1)).to_have_text("Handed back")

    rows = Step.objects.filter(episode=episode, actor="person").order_by("index")
    assert [(row.index, row.segment, row.action["type"]) for row in rows] == [
        (2, "recovery", "click"),
        (3, "correction", "click"),
        (4, "correction", "type"),
    ]
    assert rows[2].action["text"] == "L-1"
    agent.goto(arena_server.address(episode, "trips"))
    expect(agent.get_by_role("heading", level=1)).not_to_have_text("A person has taken over")


def test_a_fork_is_taken_over_on_the_page_where_it_begins(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    parent = site_episode()
    Gold.objects.filter(task=parent.task).update(created_at=F("created_at") - NOW_LATER)
    first = open_page(viewport={"width": 1280, "height": 800})
    frame = take(parent, arena_server, first)
    frame.get_by_role("link", name="Trips").first.click()
    assert actions_of(first, parent, 1) == ["click"]
    ready(first)
    answer_type(frame, "L-1")
    frame.get_by_role("link", name="Staywell").first.click()
    assert actions_of(first, parent, 4) == ["click", "click", "type", "click"]
    first.get_by_role("button", name="Give up").click()
    expect(first.get_by_role("heading", level=1)).to_have_text("Given up")
    factories.verdict(parent, "incorrect", "no_submission")

    fork_id = creation.forks_open(forks=[Fork(episode=parent.pk, step=3)], principal=ANYBODY)["episodes"][0][
        "id"
    ]
    fork = Episode.objects.get(pk=fork_id)
    person = open_page(viewport={"width": 1280, "height": 800})
    frame = take(fork, arena_server, person)
    expect(frame.get_by_role("heading", level=1)).to_contain_text("trip", ignore_case=True)
    expect(frame.locator(".task-answer input[type=text]").first).to_have_value("L-1")
    before = SiteEvent.objects.filter(episode=fork).count()
    frame.get_by_role("link", name="Staywell").first.click()
    assert actions_of(person, fork, 1) == ["click"]
    (step,) = Step.objects.filter(episode=fork)
    again = Step.objects.get(episode=parent, index=4)
    assert (step.index, step.action, step.observation_text) == (4, again.action, again.observation_text)
    assert SiteEvent.objects.filter(episode=fork).count() == before + 1


def forked_after(parent: Episode, step: int) -> Episode:
    factories.verdict(parent, "incorrect", "no_submission")
    opened = creation.forks_open(forks=[Fork(episode=parent.pk, step=step)], principal=ANYBODY)
    return Episode.objects.get(pk=opened["episodes"][0]["id"])


def test_what_the_tab_remembers_of_earlier_pages_is_restored(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    parent = site_episode()
    Gold.objects.filter(task=parent.task).update(created_at=F("created_at") - NOW_LATER)
    first = open_page(viewport={"width": 1280, "height": 800})
    frame = take(parent, arena_server, first)
    frame.locator(".task-answer input[type=text]").first.press_sequentially("L-1")
    frame.get_by_role("link", name="Trips").first.click()
    assert actions_of(first, parent, 2) == ["type", "click"]
    ready(first)
    frame.get_by_role("link", name="Staywell").first.click()
    assert actions_of(first, parent, 3)[2:] == ["click"]
    first.get_by_role("button", name="Give up").click()
    expect(first.get_by_role("heading", level=1)).to_have_text("Given up")

    person = open_page(viewport={"width": 700, "height": 500})  # its layout is another one
    frame = take(forked_after(parent, 2), arena_server, person)
    expect(frame.get_by_role("heading", level=1)).to_contain_text("trip", ignore_case=True)
    expect(person.locator("[data-problem]")).to_be_hidden()
    expect(person.locator("iframe[data-restoring]")).to_have_count(0)
    assert Takeover.objects.latest("pk").as_of is None
    frame.locator(".task-fold > summary").click()
    expect(frame.locator(".task-answer input[type=text]").first).to_have_value("L-1")


def test_a_fork_whose_page_is_another_one_ends_before_anybody_acts(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    parent = site_episode()
    Gold.objects.filter(task=parent.task).update(created_at=F("created_at") - NOW_LATER)
    first = open_page(viewport={"width": 1280, "height": 800})
    frame = take(parent, arena_server, first)
    for name in ("Trips", "Staywell"):
        frame.get_by_role("link", name=name).first.click()
        ready(first)
    assert actions_of(first, parent, 2) == ["click", "click"]
    first.get_by_role("button", name="Give up").click()
    expect(first.get_by_role("heading", level=1)).to_have_text("Given up")
    text = Value("\ntext: gone since")
    Step.objects.filter(episode=parent).update(observation_text=Concat("observation_text", text))

    person = open_page(viewport={"width": 1280, "height": 800})
    fork = forked_after(parent, 1)
    url = takeovers.takeover_begin(episode_id=fork.pk, person="Ada", principal=ANYBODY)["url"]
    person.goto(f"{arena_server.url}/takeover/{url.rpartition('/')[2]}")
    expect(person.locator("[data-problem]")).to_contain_text(
        "After step 1 the page differs: -text: gone since"
    )
    person.reload()
    expect(person.get_by_role("heading", level=1)).to_have_text("This fork could not be restored")


def test_the_bar_works_without_scripts(arena_server: ArenaServer, open_page: OpenPage) -> None:
    episode = factories.episode()
    page = open_page(java_script_enabled=False)
    url = takeovers.takeover_begin(episode_id=episode.pk, person="Ada", principal=ANYBODY)["url"]
    page.goto(f"{arena_server.url}/takeover/{url.rpartition('/')[2]}")
    expect(page.locator("noscript p")).to_be_visible()
    expect(page.frame_locator("iframe").get_by_role("heading", level=1)).to_be_visible()
    page.get_by_role("button", name="Hand back").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Handed back")
    assert Takeover.objects.get().ended_as == "handed_back"
