"""One step: what its page shows, and the part of it that is fetched alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tests import factories
from tests.replay.conftest import LabClient
from tests.replay.long_scene import long_episode, picture_make
from trajectories.models import Episode
from trajectories.replay import pictures_compared, shown
from trajectories.replay.selectors import steps as step_selectors

pytestmark = pytest.mark.usefixtures("own_storages")
Lab = Callable[[User | None], LabClient]


def address(episode: Episode, index: int, rest: str = "") -> str:
    return f"/episodes/{episode.pk}/steps/{index}{rest}"


def test_a_fragment_is_the_step_alone_with_its_neighbours(lab: Lab, annotator: User) -> None:
    episode = long_episode(steps=3)
    html = lab(annotator).get(address(episode, 2, "?fragment")).content.decode()
    assert html.strip().startswith("<article")
    assert "<html" not in html
    assert 'data-step="2"' in html
    assert 'data-before="1"' in html
    assert 'data-after="3"' in html


def test_a_part_asked_for_by_number_comes_without_a_redirect(lab: Lab, annotator: User) -> None:
    episode = long_episode(steps=3)
    client = lab(annotator)
    html = client.get(f"/episodes/{episode.pk}/steps/?index=9&fragment&find=cheapest").content.decode()
    assert html.strip().startswith("<article")
    assert 'data-step="3"' in html
    assert "<mark>cheapest</mark>" in html
    assert client.get("/episodes/999999/steps/?index=9&fragment").status_code == 404


def test_the_marks_of_a_click_lie_on_its_screenshot(lab: Lab, annotator: User) -> None:
    html = lab(annotator).get(address(long_episode(steps=6), 6, "?fragment")).content.decode()
    assert 'viewBox="0 0 1280.0 800.0"' in html
    assert '<circle class="mark-dot" cx="1135.0" cy="320.0" r="4" />' in html
    assert '<rect class="mark-line" x="1060.0" y="298.0" width="150.0" height="44.0" rx="3" />' in html


def test_a_step_asks_the_same_number_of_queries_in_a_short_and_a_long_episode(
    lab: Lab, annotator: User
) -> None:
    client = lab(annotator)
    counts = []
    for episode in (long_episode(steps=12), long_episode(steps=120)):
        with CaptureQueriesContext(connection) as queries:
            assert client.get(address(episode, 6, "?fragment")).status_code == 200
        counts.append(len([query for query in queries if "ROLE" not in query["sql"]]))
    assert counts[0] == counts[1] <= 15


@pytest.mark.parametrize(("asked", "expected"), [("2", 2), ("3", 5), ("99", 5), ("", 1), ("x", 1), ("-1", 1)])
def test_going_to_a_number_ends_at_the_nearest_step(
    lab: Lab, annotator: User, asked: str, expected: int
) -> None:
    episode = factories.episode()
    for index in (1, 2, 5):
        factories.step(episode, index)
    response = lab(annotator).get(f"/episodes/{episode.pk}/steps/?index={asked}&find=a")
    assert response["Location"] == address(episode, expected, "?find=a")


@pytest.mark.parametrize(
    ("index", "is_over", "is_to_come"), [(9, False, True), (9, True, False), (2, False, False)]
)
def test_a_step_that_is_not_there_yet_is_told_from_one_that_never_was(
    lab: Lab, annotator: User, index: int, is_over: bool, is_to_come: bool
) -> None:
    episode = factories.episode()
    for recorded in (1, 4):
        factories.step(episode, recorded)
    if is_over:
        Episode.objects.filter(pk=episode.pk).update(finished_at=timezone.now())
    response = lab(annotator).get(address(episode, index))
    page = response.content.decode()
    assert response.status_code == 404
    assert ("under way, and has steps up to 4" in page) is is_to_come
    assert ("never recorded" in page) is not is_to_come
    assert f'href="/episodes/{episode.pk}/"' in page


def test_addresses_that_one_would_guess_lead_where_they_mean(lab: Lab, annotator: User) -> None:
    client = lab(annotator)
    assert client.get("/runs/")["Location"] == "/"
    assert client.get("/episodes/7/steps/3/?find=a")["Location"] == "/episodes/7/steps/3?find=a"


def test_going_to_a_step_of_none_is_not_found(lab: Lab, annotator: User) -> None:
    assert lab(annotator).get(f"/episodes/{factories.episode().pk}/steps/").status_code == 404


def test_what_is_sought_is_marked_and_the_matches_are_linked_without_scripts(
    lab: Lab, annotator: User
) -> None:
    episode = factories.episode()
    for index, thought in enumerate(("needle", "a Needle <b>", "hay", "needle"), start=1):
        factories.step(episode, index, thought=thought)
    html = lab(annotator).get(address(episode, 2, "?find=needle")).content.decode()
    assert "Find in this episode (any part of a word)" in html
    assert "a <mark>Needle</mark> &lt;b&gt;" in html
    assert "2 of 3 steps" in " ".join(html.split())
    assert f'href="{address(episode, 1)}?find=needle"' in html
    assert f'href="{address(episode, 4)}?find=needle"' in html


def test_marks_never_split_what_is_escaped() -> None:
    assert shown.marked("a & b", find="amp") == "a &amp; b"
    assert shown.marked("<i>", find="<") == "<mark>&lt;</mark>i&gt;"


def test_a_huge_text_is_cut_and_whole_elsewhere(lab: Lab, annotator: User) -> None:
    episode = factories.episode()
    factories.step(episode, 1, thought="x" * 150_000, observation_text="y" * 1_000_000)
    client = lab(annotator)
    html = client.get(address(episode, 1)).content.decode()
    assert len(html) < 4 * shown.SHOWN_CHARS
    assert address(episode, 1, "/thought.txt") in html
    whole = client.get(address(episode, 1, "/observation.txt"))
    assert whole["Content-Type"] == "text/plain; charset=utf-8"
    assert len(whole.content) == 1_000_000


def test_changes_tell_what_differs_from_the_step_before(lab: Lab, annotator: User) -> None:
    episode = factories.episode()
    factories.step(episode, 1, thought="one", observation_text="a\nb", screenshot=picture_make("search"))
    factories.step(
        episode, 3, thought="two", observation_text="a\n<c>", screenshot=picture_make("search", shade=9)
    )
    client = lab(annotator)
    html = client.get(address(episode, 3, "/changes?fragment")).content.decode()
    assert "<ins>&lt;c&gt;</ins>" in html
    assert "<del>one</del>" in html
    assert "against step 1" in html
    assert "of the picture changed" in html
    assert "<html" not in html
    assert "This is the first step" in client.get(address(episode, 1, "/changes")).content.decode()


def test_unlike_thoughts_stand_whole_beside_each_other(lab: Lab, annotator: User) -> None:
    episode = factories.episode()
    thoughts = (
        "I compare the totals of all offers that <b>can</b> be cancelled.",
        "Nothing happened, perhaps a dialog lies over it somewhere.",
    )
    for index, thought in enumerate(thoughts, start=1):
        factories.step(episode, index, thought=thought)
    html = lab(annotator).get(address(episode, 2, "/changes?fragment")).content.decode()
    assert "Too little in common" in html
    assert "<del>" not in html
    assert "offers that &lt;b&gt;can&lt;/b&gt; be cancelled.</div>" in html
    assert f"{thoughts[1]}</div>" in html


def test_what_is_said_of_an_action_is_not_cut_in_the_middle(lab: Lab, annotator: User) -> None:
    episode = factories.episode()
    factories.step(episode, 1, parse_error="No JSON object: " + "x " * 300 + "end.")
    html = lab(annotator).get(address(episode, 1)).content.decode()
    assert "x end.</p>" in html
    assert "clip-" not in html


def test_pictures_differ_where_something_changed(db: None) -> None:
    before, after = picture_make("search"), picture_make("offer")
    found = pictures_compared.pictures_compared(before, after)
    assert found.state == "changed"
    assert found.box is not None
    left, top, _, height = found.box
    assert (left < 0.5, top + height < 0.1, 0 < found.share < 0.1) == (True, True, True)
    assert pictures_compared.pictures_compared(before, before).state == "same"
    assert pictures_compared.pictures_compared(before, "f" * 64).state == "missing"
    assert pictures_compared.pictures_compared("", "").state == "missing"


def test_the_prompt_is_a_page_of_its_own_and_a_part_of_the_step(lab: Lab, annotator: User) -> None:
    episode = factories.episode(arm="gym")
    client = lab(annotator)
    page = client.get(f"/episodes/{episode.pk}/prompt").content.decode()
    part = client.get(f"/episodes/{episode.pk}/prompt?fragment").content.decode()
    assert "<html" in page
    assert "<html" not in part
    assert "told at the start" in part


def test_the_strip_of_a_long_episode_shows_the_steps_near_and_the_ends(lab: Lab, annotator: User) -> None:
    episode = factories.episode()
    for index in range(1, 121):
        factories.step(episode, index)
    html = lab(annotator).get(f"/episodes/{episode.pk}/steps/60").content.decode()
    linked = {index for index in range(1, 121) if f'href="/episodes/{episode.pk}/steps/{index}"' in html}
    assert linked == {1, 120, *range(60 - step_selectors.STRIP_REACH, 60 + step_selectors.STRIP_REACH + 1)}
