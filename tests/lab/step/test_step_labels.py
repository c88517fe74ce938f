"""A step has the same label wherever it is shown: its element by role and name, and its action check."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests import factories
from tests.conftest import LabClient
from trajectories.behaviour.facts import store
from trajectories.models import Episode, PageEvent, StepFacts
from trajectories.shell.queries.step_facts import StepLabel, step_labels
from trajectories.shell.screenshots.marks import build_caption

Lab = Callable[[User | None], LabClient]
LOFT = "link “Sunny loft”"
PAGE = '[e1] main\n  [e8] link "Sunny loft"\n  [e9] textbox "Where" value="Rome"'


def walked(*targets: str, seen: str = "Sunny loft", **fields: Any) -> Episode:
    """An episode that clicks each target; its page reports the first click, on the link ``seen``."""
    made = factories.episode(**fields)
    for index, target in enumerate(targets, start=1):
        action = {"type": "click", "target": target}
        factories.step(made, index, action=action, action_type="click", observation_text=PAGE)
    data = {"role": "link", "name": seen, "trusted": True}
    PageEvent.objects.create(episode=made, page="p", seq=1, step=1, kind="click", at_ms=1.0, data=data)
    return made


def never(_: Episode) -> None:
    """Facts come after the end."""


def computed(episode: Episode) -> None:
    store.facts_compute([episode.pk])


def computed_by_an_older_version(episode: Episode) -> None:
    store.facts_compute([episode.pk])
    StepFacts.objects.update(version=1, target="")


@pytest.mark.parametrize("summarised", [never, computed, computed_by_an_older_version])
@pytest.mark.parametrize(
    "address",
    ["/episodes/{0}/", "/episodes/{0}/steps/1", "/compare?episodes={0},{1}", "/episodes/{0}/export.html"],
)
def test_an_element_is_labelled_by_role_and_name(
    address: str, summarised: Callable[[Episode], None], lab: Lab, annotator: User
) -> None:
    episode = walked("e8", "e8")
    summarised(episode)
    response: Any = lab(annotator).get(address.format(episode.pk, walked("e9").pk))
    html = response.getvalue().decode()
    assert f'<bdi class="action-element" dir="auto">{LOFT}</bdi>' in html
    assert "✓</span> Confirmed" in html


@pytest.mark.parametrize("summarised", [never, computed])
def test_the_timeline_labels_the_element_too(
    summarised: Callable[[Episode], None], lab: Lab, annotator: User
) -> None:
    episode = walked("e8", "e8")
    summarised(episode)
    index = lab(annotator).get(f"/episodes/{episode.pk}/index.json").json()
    assert index["steps"][0][index["fields"].index("phrase")] == LOFT


def test_a_caption_labels_the_element_too(db: None) -> None:
    episode = walked("e8")
    assert build_caption(episode, episode.steps.get(index=1)).title.startswith(f"Step 1 · click on {LOFT}")


@pytest.mark.parametrize(
    "address", ["/episodes/{0}/", "/compare?episodes={0},{1}", "/episodes/{0}/export.html"]
)
def test_a_click_elsewhere_has_its_sign(address: str, lab: Lab, annotator: User) -> None:
    episode = walked("e8", "e8", seen="Dark cellar")
    computed(episode)
    response: Any = lab(annotator).get(address.format(episode.pk, walked("e9").pk))
    html = response.getvalue().decode()
    assert 'class="tag tag-bad"' in html
    assert "≠</span> Effect differs from action" in html
    assert "a click on link “Dark cellar”, not on link “Sunny loft”" in html


@pytest.mark.parametrize(
    ("action", "result", "sign", "words"),
    [
        ({"type": "click", "target": "e8"}, "ok", "∅", "Action had no effect"),
        ({"type": "press", "key": "a"}, "refused", "∅", "Not performed"),
        ({"type": "wait"}, "ok", "+", "Unexplained events"),
    ],
)
def test_list_and_timeline_use_the_same_sign_for_the_same_check(
    action: dict[str, str], result: str, sign: str, words: str, lab: Lab, annotator: User
) -> None:
    episode = walked("e8")
    factories.step(episode, 2, action=action, action_type=action["type"], action_result=result)
    PageEvent.objects.create(episode=episode, page="p", seq=99, step=2, kind="key", at_ms=9, data={})
    computed(episode)
    html = lab(annotator).get(f"/episodes/{episode.pk}/").content.decode()
    timeline, _, rest = html.partition("</ol>")
    assert f'aria-hidden="true">{sign}</span><span class="visually-hidden">{words}</span>' in timeline
    assert f'aria-hidden="true">{sign}</span> {words}</span>' in rest


def test_a_wait_is_not_marked_as_confirmed(lab: Lab, annotator: User) -> None:
    episode = walked("e8")
    factories.step(episode, 2, action={"type": "wait", "ms": 10}, action_type="wait")
    computed(episode)
    html = lab(annotator).get(f"/episodes/{episode.pk}/").content.decode()
    assert html.count("Confirmed") == 1
    assert "No effect expected" in lab(annotator).get(f"/episodes/{episode.pk}/steps/2").content.decode()


def test_lists_do_not_read_observations_of_steps_with_facts(lab: Lab, annotator: User) -> None:
    episode = walked("e8", "e8")
    computed(episode)
    with CaptureQueriesContext(connection) as queries:
        lab(annotator).get(f"/episodes/{episode.pk}/")
    assert not [query for query in queries if "observation_text" in query["sql"]]


def test_stored_facts_of_an_older_version_get_their_element_added(db: None) -> None:
    episode = walked("e8", "e8")
    computed_by_an_older_version(episode)
    StepFacts.objects.update(action_check="unexplained", action_check_detail="as it was kept")
    assert step_labels(episode_id=episode.pk, indexes=[1, 7]) == {
        1: StepLabel(target=LOFT, action_check="unexplained", detail="as it was kept", sentences="o"),
        7: StepLabel(),
    }


def test_a_step_page_shows_the_full_line_of_its_element_if_longer_than_its_label(
    lab: Lab, annotator: User
) -> None:
    episode = walked("e8", "e9")
    pages = [
        lab(annotator).get(f"/episodes/{episode.pk}/steps/{index}").content.decode().partition('id="tree"')[0]
        for index in (1, 2)
    ]
    assert "[e8] link" not in pages[0]
    assert "[e9] textbox &quot;Where&quot; value=&quot;Rome&quot;</p>" in pages[1]


def test_a_hostile_name_is_escaped_and_its_token_masked(lab: Lab, annotator: User) -> None:
    name = f"<script>alert(1)</script>\u202e {'x' * 60} /e/{'t' * 60}"
    episode = factories.episode()
    action = {"type": "click", "target": "e8"}
    factories.step(episode, 1, action=action, action_type="click", observation_text=f'[e8] link "{name}"')
    computed(episode)
    html = lab(annotator).get(f"/episodes/{episode.pk}/").content.decode()
    assert "<script>alert" not in html
    assert "\u202e" not in html
    assert "tttt" not in html
    assert "/e/***" in html
