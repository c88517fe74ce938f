"""One step: its page, and its fragment."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tests import factories
from tests.conftest import LabClient
from tests.lab.long_scene import long_episode, picture_make
from trajectories.lab.step import changes as step_changes
from trajectories.models import Blob, Episode, Picture
from trajectories.shell.queries import timeline
from trajectories.shell.text import long_text

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


def test_a_fragment_requested_by_number_is_answered_without_a_redirect(lab: Lab, annotator: User) -> None:
    episode = long_episode(steps=3)
    client = lab(annotator)
    html = client.get(f"/episodes/{episode.pk}/steps/?index=9&fragment&find=cheapest").content.decode()
    assert html.strip().startswith("<article")
    assert 'data-step="3"' in html
    assert "<mark>cheapest</mark>" in html
    assert client.get("/episodes/999999/steps/?index=9&fragment").status_code == 404


def test_the_marks_of_a_click_are_drawn_on_its_screenshot(lab: Lab, annotator: User) -> None:
    html = lab(annotator).get(address(long_episode(steps=6), 6, "?fragment")).content.decode()
    assert 'viewBox="0 0 1280.0 800.0"' in html
    assert '<circle class="mark-dot" cx="1135.0" cy="320.0" r="4" />' in html
    assert '<rect class="mark-line" x="1060.0" y="298.0" width="150.0" height="44.0" rx="3" />' in html


def test_a_step_runs_the_same_number_of_queries_in_a_short_and_a_long_episode(
    lab: Lab, annotator: User
) -> None:
    client = lab(annotator)
    counts = []
    for episode in (long_episode(steps=12), long_episode(steps=120)):
        with CaptureQueriesContext(connection) as queries:
            assert client.get(address(episode, 6, "?fragment")).status_code == 200
        counts.append(len([query for query in queries if "ROLE" not in query["sql"]]))
    assert counts[0] == counts[1] <= 16  # two are the permissions of a reader who is not staff


@pytest.mark.parametrize(
    ("requested", "expected", "more"),
    [
        ("2", 2, ""),
        ("3", 5, "&requested=3"),
        ("99", 5, "&requested=99"),
        ("", 1, ""),
        ("x", 1, ""),
        ("-1", 1, ""),
    ],
)
def test_going_to_a_number_leads_to_the_nearest_step(
    lab: Lab, annotator: User, requested: str, expected: int, more: str
) -> None:
    episode = factories.episode()
    for index in (1, 2, 5):
        factories.step(episode, index)
    response = lab(annotator).get(f"/episodes/{episode.pk}/steps/?index={requested}&find=a")
    assert response["Location"] == address(episode, expected, f"?find=a{more}")


@pytest.mark.parametrize(
    ("index", "is_over", "is_to_come"), [(9, False, True), (9, True, False), (2, False, False)]
)
def test_a_step_still_to_come_is_distinguished_from_one_that_never_was(
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
    assert ("still running and has steps up to 4" in page) is is_to_come
    assert ("never recorded" in page) is not is_to_come
    assert f'href="/episodes/{episode.pk}/"' in page


def test_guessable_addresses_redirect_to_the_real_ones(lab: Lab, annotator: User) -> None:
    client = lab(annotator)
    assert client.get("/runs/")["Location"] == "/"
    assert client.get("/episodes/7/steps/3/?find=a")["Location"] == "/episodes/7/steps/3?find=a"


def test_going_to_a_step_of_an_empty_episode_is_404(lab: Lab, annotator: User) -> None:
    assert lab(annotator).get(f"/episodes/{factories.episode().pk}/steps/").status_code == 404


def test_matches_are_highlighted_and_linked_without_scripts(lab: Lab, annotator: User) -> None:
    episode = factories.episode()
    for index, thought in enumerate(("needle", "a Needle <b>", "hay", "needle"), start=1):
        factories.step(episode, index, thought=thought)
    html = lab(annotator).get(address(episode, 2, "?find=needle")).content.decode()
    assert "Find in this episode (any part of a word)" in html
    assert "a <mark>Needle</mark> &lt;b&gt;" in html
    assert "2 of 3 steps: in thought" in " ".join(html.split())
    assert "data-tab-matches" not in html
    assert f'href="{address(episode, 1)}?find=needle"' in html
    assert f'href="{address(episode, 4)}?find=needle"' in html


def test_a_match_outside_the_thought_is_counted_at_its_tab(lab: Lab, annotator: User) -> None:
    episode = factories.episode()
    tree = '[e1] link "needle"\n[e2] link "Needles"'
    factories.step(episode, 1, thought="hay", observation_text=tree, url="https://gym/needle")
    factories.step(episode, 2, thought="hay", raw="needle")
    client = lab(annotator)
    first, second = (
        " ".join(client.get(address(episode, index, "?find=needle")).content.decode().split())
        for index in (1, 2)
    )
    assert "1 of 2 steps: in tree, address" in first
    assert re.search(r'Accessibility tree <span class="tab-matches"[^>]*>2<', first)
    assert "data-match-in-view" in first
    assert "2 of 2 steps: in raw output" in second
    assert re.search(r'Raw and JSON <span class="tab-matches"[^>]*>1<', second)
    assert "data-match-in-view" not in second


def test_matches_are_highlighted_in_the_action_and_the_name_of_its_element(lab: Lab, annotator: User) -> None:
    episode = factories.episode()
    typed = {"type": "type", "target": "e7", "text": "A Needle <b>"}
    factories.step(episode, 1, action=typed, action_type="type", observation_text='[e7] textbox "Where"')
    click = {"type": "click", "target": "e8"}
    factories.step(episode, 2, action=click, observation_text='[e8] link "The needle" [focused]')
    long = {"type": "type", "text": f"{'.' * 300} needle"}
    factories.step(episode, 3, action=long, action_type="type")
    client = lab(annotator)
    first, second, third = (
        client.get(address(episode, index, "?find=needle")).content.decode() for index in (1, 2, 3)
    )
    assert "1 of 3 steps: in action" in " ".join(first.split())
    assert 'dir="auto">A <mark>Needle</mark> &lt;b&gt;</bdi>' in first
    assert "data-match-in-view" in first
    assert re.search(r'action-element" dir="auto">link “The <mark>needle</mark>”</bdi>', second)
    assert "The <mark>needle</mark>" in second[second.index("action-card") : second.index("shot-title")]
    assert "data-match-in-view" not in second
    assert "data-match-in-view" not in third


def test_rows_of_the_step_list_highlight_nothing(lab: Lab, annotator: User) -> None:
    episode = factories.episode()
    factories.step(episode, 1, action={"type": "type", "text": "needle"}, action_type="type")
    assert "<mark>" not in lab(annotator).get(f"/episodes/{episode.pk}/?find=needle").content.decode()


def test_matches_beyond_the_displayed_beginning_are_counted(lab: Lab, annotator: User) -> None:
    episode = factories.episode()
    factories.step(episode, 1, observation_text=f"needle{'.' * long_text.SHOWN_CHARS}needle needle")
    html = lab(annotator).get(address(episode, 1, "?find=needle")).content.decode()
    assert "2 more matches further on." in html
    assert "further on" not in lab(annotator).get(address(episode, 1)).content.decode()


def test_highlights_never_split_an_escaped_character() -> None:
    assert long_text.marked("a & b", "amp") == "a &amp; b"
    assert long_text.marked("<i>", "<") == "<mark>&lt;</mark>i&gt;"


def test_a_huge_text_is_cut_and_linked_in_full(lab: Lab, annotator: User) -> None:
    episode = factories.episode()
    factories.step(episode, 1, thought="x" * 150_000, observation_text="y" * 1_000_000)
    client = lab(annotator)
    html = client.get(address(episode, 1)).content.decode()
    assert len(html) < 4 * long_text.SHOWN_CHARS
    assert address(episode, 1, "/thought.txt") in html
    whole = client.get(address(episode, 1, "/observation.txt"))
    assert whole["Content-Type"] == "text/plain; charset=utf-8"
    assert len(whole.content) == 1_000_000


def test_the_changes_tab_shows_differences_from_the_previous_step(lab: Lab, annotator: User) -> None:
    episode = factories.episode()
    factories.step(episode, 1, thought="one", observation_text="a\nb", screenshot=picture_make("search"))
    factories.step(
        episode, 3, thought="two", observation_text="a\n<c>", screenshot=picture_make("search", shade=9)
    )
    client = lab(annotator)
    html = client.get(address(episode, 3, "/changes?fragment")).content.decode()
    assert "<ins>&lt;c&gt;</ins>" in html
    assert "<del>one</del>" in html
    assert "compared with step 1" in html
    assert "of the picture changed" in html
    assert "<html" not in html
    assert "This is the first step" in client.get(address(episode, 1, "/changes")).content.decode()


def test_very_different_thoughts_are_shown_in_full_side_by_side(lab: Lab, annotator: User) -> None:
    episode = factories.episode()
    thoughts = (
        "I compare the totals of all offers that <b>can</b> be cancelled.",
        "Nothing happened, perhaps a dialog lies over it somewhere.",
    )
    for index, thought in enumerate(thoughts, start=1):
        factories.step(episode, index, thought=thought)
    html = lab(annotator).get(address(episode, 2, "/changes?fragment")).content.decode()
    assert "Too different to diff" in html
    assert "<del>" not in html
    assert "offers that &lt;b&gt;can&lt;/b&gt; be cancelled.</div>" in html
    assert f"{thoughts[1]}</div>" in html


def test_the_error_of_an_action_is_not_clipped(lab: Lab, annotator: User) -> None:
    episode = factories.episode()
    factories.step(episode, 1, parse_error="No JSON object: " + "x " * 300 + "end.")
    html = lab(annotator).get(address(episode, 1)).content.decode()
    assert "x end.</p>" in html
    assert "clip-" not in html


def test_pictures_differ_where_something_changed(db: None) -> None:
    before, after = picture_make("search"), picture_make("offer")
    difference = step_changes.pictures_diff(before, after)
    assert difference.state == "changed"
    assert difference.box is not None
    left, top, _, height = difference.box
    assert (left < 0.5, top + height < 0.1, 0 < difference.share < 0.1) == (True, True, True)
    assert step_changes.pictures_diff(before, before).state == "same"
    assert step_changes.pictures_diff(before, "f" * 64).state == "missing"
    assert step_changes.pictures_diff("", "").state == "missing"


def test_the_prompt_is_a_separate_page_and_a_tab_of_the_step(lab: Lab, annotator: User) -> None:
    episode = factories.episode(arm="gym")
    client = lab(annotator)
    page = client.get(f"/episodes/{episode.pk}/prompt").content.decode()
    part = client.get(f"/episodes/{episode.pk}/prompt?fragment").content.decode()
    assert "<html" in page
    assert "<html" not in part
    assert "Prompt" in part


def test_the_list_of_a_long_episode_has_nearby_steps_and_links_to_both_ends(
    lab: Lab, annotator: User
) -> None:
    episode = factories.episode()
    for index in range(1, 121):
        factories.step(episode, index)
    html = lab(annotator).get(f"/episodes/{episode.pk}/steps/60").content.decode()
    listed = {int(number) for number in re.findall(r'<li data-at="(\d+)"', html)}
    assert listed == {*range(60 - timeline.REACH, 60 + timeline.REACH + 1)}
    for index in (1, 120):
        assert f'href="/episodes/{episode.pk}/steps/{index}"' in html


def test_lists_show_no_broken_picture_for_a_missing_or_damaged_one(lab: Lab, annotator: User) -> None:
    episode, damaged, good = factories.episode(), "d" * 64, picture_make("search")
    Blob.objects.create(sha256=damaged, size=1, content_type="image/png")
    Picture.objects.create(sha256=damaged, state=Picture.State.UNREADABLE)
    for index, screenshot in enumerate((good, damaged, "0" * 64), start=1):
        factories.step(episode, index, screenshot=screenshot)
    other = factories.episode(task=episode.task)
    factories.step(other, 1, screenshot="0" * 64)
    client = lab(annotator)

    listed = client.get(f"/episodes/{episode.pk}/").content.decode()
    compared = client.get(f"/compare?episodes={episode.pk},{other.pk}").content.decode()

    assert f"/blobs/{good}/thumbnail" in listed
    assert f"/blobs/{damaged}/" not in listed
    assert f"/blobs/{'0' * 64}/" not in listed
    assert listed.count("step-thumbnail is-blank") == 2
    assert compared.count("/picture.webp") == 1
    assert compared.count("compare-shot is-blank") == 3


@pytest.mark.parametrize(
    ("arm", "observation", "opened"),
    [("text_zero_shot", "", "prompt"), ("gym", "", "usage"), ("gym", 'button "Go on"', "tree")],
)
def test_a_step_without_a_screenshot_opens_the_first_tab_with_content(
    lab: Lab, annotator: User, arm: str, observation: str, opened: str
) -> None:
    episode = factories.episode(arm=arm)
    factories.step(episode, 1, thought="42.", observation_text=observation, duration_ms=1200.0)

    html = lab(annotator).get(address(episode, 1)).content.decode()

    assert re.findall(r'data-tab="(\w+)"\s+data-tab-first', html) == [opened]
    assert re.findall(r'is-open[^>]+id="(\w+)"', html) == [opened]
    assert ("shot-title" in html) == bool(observation)
    assert ("This step had no page" in html) == (arm == "text_zero_shot")


@pytest.mark.parametrize(("fields", "opened"), [({}, "json"), ({"duration_ms": 1200.0}, "usage")])
def test_a_screenshot_without_a_tree_opens_the_first_tab_with_content(
    lab: Lab, annotator: User, fields: dict[str, Any], opened: str
) -> None:
    episode = factories.episode(arm="gym")
    factories.step(episode, 1, screenshot=picture_make("search"), raw="I click.", **fields)
    html = lab(annotator).get(address(episode, 1)).content.decode()
    assert "shot-title" in html
    assert re.findall(r'data-tab="(\w+)"\s+data-tab-first', html) == [opened]


def test_a_text_step_with_only_raw_output_opens_the_raw_tab(lab: Lab, annotator: User) -> None:
    episode = factories.episode(arm="text_zero_shot", group=factories.group(template="another's"))
    factories.step(episode, 1, raw="42.")
    html = lab(annotator).get(address(episode, 1)).content.decode()
    assert re.findall(r'data-tab="(\w+)"\s+data-tab-first', html) == ["json"]


@pytest.mark.parametrize(
    ("requested", "notice"),
    [
        ("2", "Step 2 was never recorded: 3 is the next one."),
        ("9", "There is no step 9: 3 is the last one."),
        ("3", ""),
        ("", ""),
        ("x", ""),
    ],
)
def test_a_number_that_leads_to_another_step_shows_a_notice(
    lab: Lab, annotator: User, requested: str, notice: str
) -> None:
    episode = factories.episode()
    for index in (1, 3):
        factories.step(episode, index)
    client = lab(annotator)
    go = f"/episodes/{episode.pk}/steps/?index={requested}"

    whole = client.get(go, follow=True).content.decode()
    part = client.get(f"{go}&fragment").content.decode()

    for html in (whole, part):
        assert re.findall("data-notice>([^<]*)<", html) == ([notice] if notice else [])


def test_an_address_cannot_fake_the_notice_of_a_missing_step(lab: Lab, annotator: User) -> None:
    episode = long_episode(steps=3)
    html = lab(annotator).get(address(episode, 3, "?requested=2")).content.decode()
    assert "data-notice" not in html


def test_a_step_says_that_its_page_was_not_settled(lab: Lab, annotator: User) -> None:
    episode = factories.episode()
    for index, more in ((1, {"settled": True}), (2, {"settled": False}), (3, {})):
        factories.step(episode, index, more=more)
    client = lab(annotator)
    pages = [client.get(address(episode, index)).content.decode() for index in (1, 2, 3)]
    cards = [html.partition('class="action-card"')[2].partition("</section>")[0] for html in pages]
    assert ["page not settled" in card for card in cards] == [False, True, False]
    listed = client.get(f"/episodes/{episode.pk}/").content.decode()
    assert listed.count("page not settled") == 1


def test_a_hidden_thought_is_not_shown_as_none(lab: Lab, annotator: User) -> None:
    episode = factories.episode()
    for index, thought_hidden in ((1, True), (2, None)):
        more = {"usage": {"reasoning": 1320}, "thought_hidden": thought_hidden} if thought_hidden else {}
        factories.step(episode, index, thought="", more=more)
    client = lab(annotator)
    pages = [client.get(address(episode, index)).content.decode() for index in (1, 2)]
    hidden, missing = (html.partition('id="thought-title"')[2].partition("</section>")[0] for html in pages)
    assert "The model reasoned out of sight (1,320 tokens)" in hidden
    assert "None was posted." not in hidden
    assert "None was posted." in missing
    listed = client.get(f"/episodes/{episode.pk}/").content.decode()
    assert re.findall(r'<p class="step-thought"\s+dir="auto">(.*?)</p>', listed) == [
        "hidden thought",
        "no thought",
    ]
    words = [re.findall(r"<dt>Words in the thought</dt>\s+<dd>\s+(\S+)\s+</dd>", html) for html in pages]
    assert words == [["hidden"], ["0"]]
