"""Exports of an episode: one HTML file, and the trajectory as JSON."""

from __future__ import annotations

import base64
import io
import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.contrib.auth.models import User
from PIL import Image

from core.episodes import tokens
from tests import factories
from tests.arena.test_choice import PAYLOAD as CHOICE
from tests.arena.test_choice import PICTURES, words
from tests.conftest import LabClient
from tests.lab.step.test_pictures import picture_make
from trajectories.lab.episode_files import html_file
from trajectories.models import Episode

pytestmark = pytest.mark.usefixtures("own_storages")
Lab = Callable[[User | None], LabClient]
HOSTILE = '<script>alert(1)</script>"><img src=x onerror=alert(2)>\u202e'


@pytest.fixture
def episode(db: None) -> Episode:
    made = factories.episode(task=factories.task(answer="gold-answer"))
    token = tokens.token_make(episode_id=made.pk, key=django_settings.TOKEN_KEY)
    shot = picture_make()
    click = {"type": "click", "x": 10, "y": 10}
    factories.step(made, 1, thought="I look.", screenshot=shot, action=click)
    factories.step(made, 2, thought="Again.", screenshot=shot, action=click)
    factories.step(made, 3, thought=HOSTILE, raw=HOSTILE, observation_text=HOSTILE, action={"type": HOSTILE})
    factories.step(made, 4, thought=f"At http://x/e/{token}/ I stand.", screenshot="0" * 64)
    factories.submission(made, "41")
    factories.verdict(made, "incorrect", verifier="numeric-v1", evidence={"gold": "gold-answer"})
    return made


def file_of(
    client: LabClient, episode: Episode, kind: str = "html", query: str = "", *, golds: bool = False
) -> str:
    response: Any = client.get(f"/episodes/{episode.pk}/export.{kind}{query}")
    assert response.status_code == 200
    named = f"episode-{episode.pk}{'-with-gold' if golds else ''}.{kind}"
    assert response["Content-Disposition"] == f'attachment; filename="{named}"'
    return bytes(response.getvalue()).decode()


def test_the_file_has_all_steps_and_their_outcomes(lab: Lab, annotator: User, episode: Episode) -> None:
    text = file_of(lab(annotator), episode)
    for expected in ("I look.", "Again.", "incorrect, answer", "41", "numeric-v1", episode.task.prompt):
        assert expected in text
    assert text.rstrip().endswith("</html>")


def test_the_file_fetches_and_runs_nothing(lab: Lab, annotator: User, episode: Episode) -> None:
    text = file_of(lab(annotator), episode)
    assert "<script" not in text
    assert "<img src=x" not in text
    assert "\u202e" not in text
    addresses = re.findall(r'(?:src|href)="([^"]*)"', text)
    assert addresses
    assert {address[:5] for address in addresses} <= {"data:", "#step"}
    assert "url(" not in text
    assert "@import" not in text
    assert "script-src" not in text
    assert "default-src &#x27;none&#x27;" in text


def test_pictures_are_embedded_once_and_a_missing_one_is_noted(
    lab: Lab, annotator: User, episode: Episode
) -> None:
    text = file_of(lab(annotator), episode)
    assert text.count("data:image/webp;base64,") == 1
    assert 'href="#step-1"' in text
    assert "1 picture left out" in text


def test_content_over_the_size_limit_is_left_out_with_a_note(
    lab: Lab, annotator: User, episode: Episode, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(html_file, "STEPS_MAX", 2)
    monkeypatch.setattr(html_file, "ONE_TEXT_MAX_CHARS", 5)
    monkeypatch.setattr(html_file.Room, "__init__", _no_room)
    text = file_of(lab(annotator), episode)
    assert "2 steps after the first 2 are left out" in text
    assert "2 pictures left out" in text
    assert "[2 characters left out]" in text
    assert "data:image" not in text


def test_pictures_after_the_first_are_thumbnails(
    lab: Lab, annotator: User, db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(html_file.Room, "__init__", _little_room)
    made = factories.episode()
    shots = [picture_make(900, 600 + place) for place in range(3)]
    for index, shot in enumerate(shots, 1):
        factories.step(made, index, screenshot=shot)
    text = file_of(lab(annotator), made)
    pictures = [
        Image.open(io.BytesIO(base64.b64decode(data)))
        for data in re.findall('data:image/webp;base64,([^"]+)', text)
    ]
    assert [picture.width > 320 for picture in pictures] == [True, False, False]
    assert "2 pictures are thumbnails" in text


def test_nothing_is_drawn_once_a_picture_did_not_fit(
    lab: Lab, annotator: User, episode: Episode, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(html_file.Room, "__init__", _no_room)
    drawn, draw = [], html_file.step_draw

    def counts(*arguments: Any, **options: Any) -> Any:
        drawn.append(arguments[0].index)
        return draw(*arguments, **options)

    monkeypatch.setattr(html_file, "step_draw", counts)
    file_of(lab(annotator), episode)
    assert drawn == [1]


def _little_room(room: html_file.Room) -> None:
    _no_room(room)
    room.large_pictures, room.picture_bytes = 1, 10**7


def _no_room(room: html_file.Room) -> None:
    room.pictures, room.picture_bytes, room.chars = 300, 10, 1_000
    room.large_pictures = 300
    room.steps_out = room.pictures_out = room.chars_out = room.thumbnails = 0


@pytest.mark.parametrize("kind", ["html", "json"])
def test_no_export_contains_the_token(kind: str, lab: Lab, annotator: User, episode: Episode) -> None:
    token = tokens.token_make(episode_id=episode.pk, key=django_settings.TOKEN_KEY)
    assert token not in file_of(lab(annotator), episode, kind)


@pytest.mark.parametrize("kind", ["html", "json"])
def test_an_export_contains_the_gold_only_for_gold_readers_who_request_it(
    kind: str, lab: Lab, owner: User, annotator: User, episode: Episode
) -> None:
    assert "gold-answer" not in file_of(lab(owner), episode, kind)
    assert "gold-answer" not in file_of(lab(annotator), episode, kind, "?golds=1")
    assert "gold-answer" in file_of(lab(owner), episode, kind, "?golds=1", golds=True)


def test_the_json_is_the_trajectory(lab: Lab, annotator: User, episode: Episode) -> None:
    record = json.loads(file_of(lab(annotator), episode, "json"))
    assert record["id"] == episode.pk
    assert [step["index"] for step in record["steps"]] == [1, 2, 3, 4]
    assert record["verdict"]["outcome"] == "incorrect"
    assert "seed" not in record


def test_an_episode_without_steps_can_be_exported(lab: Lab, annotator: User, db: None) -> None:
    made = factories.episode()
    assert "Exported from Palaestra" in file_of(lab(annotator), made)


def test_the_style_sheet_is_the_one_that_the_policy_names(
    lab: Lab, annotator: User, episode: Episode
) -> None:
    response: Any = lab(annotator).get(f"/episodes/{episode.pk}/export.html")
    assert response["Content-Security-Policy"].endswith("; sandbox")
    assert response["Content-Security-Policy"].removesuffix("; sandbox") == html_file.policy()


def test_the_export_shows_the_question_of_its_episode(lab: Lab, annotator: User) -> None:
    task = factories.task(kind="choice", payload=CHOICE)
    episode = factories.episode(task=task, variation={"order": [3, 0, 1, 2]})
    text = words(file_of(lab(annotator), episode))
    assert "A. Glass source D B. Copper &lt;wire&gt; source A C. A dry sponge with a hole source B" in text
    retired = factories.episode(task=factories.task(kind="retired"), variation={"order": [0]})
    assert retired.task.prompt in file_of(lab(annotator), retired)


def test_labels_of_permuted_choices_name_their_source_labels(lab: Lab, owner: User) -> None:
    task = factories.task(kind="choice", payload=CHOICE, answer="A")
    episode = factories.episode(task=task, variation={"order": [3, 0, 1, 2]})
    factories.submission(episode, "A")
    text = words(file_of(lab(owner), episode, "html", "?golds=1", golds=True))
    assert "Answer A (source D)" in text
    assert "B (source A)" in text


def test_formulas_of_the_question_are_in_plain_characters(lab: Lab, annotator: User) -> None:
    text = r"Is $\frac{1}{2}\le x$ for $5? \[\begin{tabular}{c} 7 \end{tabular}\] [asy]draw(A);[/asy]"
    made = factories.task(payload={"text": text, "format": "latex"}, prompt=text)
    file = file_of(lab(annotator), factories.episode(task=made))
    assert '<span class="formula" title="$\\frac{1}{2}\\le x$">1/2 ≤ x</span> for $5?' in file
    fold = file.partition("<summary>Formulas in TeX</summary>")[2].partition("</details>")[0]
    assert r"Is $\frac{1}{2}\le x$ for $5? \[\begin{tabular}" in fold
    assert r"\begin{tabular}{c} 7 \end{tabular}</span>" in file
    assert "<pre>[asy]draw(A);[/asy]</pre>" in file


def test_the_table_of_the_question_is_a_table(
    lab: Lab, annotator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = {"header": ["Year", "Prize"], "rows": [["1999", "a|b"], ["2001", ""], ["2002", "none"]]}
    made = factories.task(kind="table", payload={"text": "When?", "format": "plain", "table": table})
    episode = factories.episode(task=made)
    file = file_of(lab(annotator), episode)
    assert '<th scope="col">Year</th>' in file
    assert "<td>a|b</td>" in file
    assert file.count("<tr>") == 4
    monkeypatch.setattr(html_file, "TABLE_MAX_CHARS", 300)
    assert "1 more row left out" in file_of(lab(annotator), episode)
    monkeypatch.setattr(html_file, "TABLE_MAX_CHARS", 60)
    file = file_of(lab(annotator), episode)
    assert "A table of 3 rows is left out" in file
    assert "Prize" not in file


def test_a_question_that_is_too_long_is_exported_as_text(
    lab: Lab, annotator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(html_file, "ONE_TEXT_MAX_CHARS", 20)
    text = "How much is $2^2$ and more of that?"
    made = factories.task(payload={"text": text, "format": "latex"}, prompt=text)
    assert "How much is $2^2$ an…</pre>" in file_of(lab(annotator), factories.episode(task=made))


LONG = "y" * 700_000


@pytest.mark.parametrize(
    "payload",
    [
        {"signature": LONG},
        {"asserts": [LONG]},
        {"choices": [{"label": LONG, "text": "a"}]},
        {"choices": [{"label": "A", "text": ""}] * 5_000},
        {"text": "<image 1>" * 20_000, "pictures": PICTURES[:1]},
        {"text": f"${' ' * 700_000}x$", "format": "latex"},
        {"text": "$x$" * 19_000, "format": "latex"},
        {"table": {"header": [LONG], "rows": [[""]]}},
        {"table": {"header": ["a"], "rows": [[""]] * 50_000}},
        {"table": {"header": ["a"], "rows": [[]] * 50_000}},
        {"table": {"header": ["a"], "rows": [[""] * 50_000]}},
    ],
    ids=lambda payload: ", ".join(payload),
)
def test_no_part_of_a_question_exceeds_the_export_limits(
    payload: dict[str, Any], lab: Lab, annotator: User
) -> None:
    task = factories.task(kind="choice", payload={"text": "Q", "format": "plain", **payload})
    most = 2 * (html_file.TEXT_MAX_CHARS + html_file.TABLE_MAX_CHARS)
    assert len(file_of(lab(annotator), factories.episode(task=task))) < most


def test_an_ordinary_question_fits_the_export_limits(lab: Lab, annotator: User) -> None:
    payload = {
        "text": r"Is $\frac{1}{2} < x$ or $x = 0$? " * 100,
        "format": "latex",
        "choices": [{"label": label, "text": "some words" * 20} for label in "ABCDE"],
        "table": {"header": ["name", "year", "place"], "rows": [["somebody", "1999", "elsewhere"]] * 1_000},
    }
    file = file_of(lab(annotator), factories.episode(task=factories.task(kind="choice", payload=payload)))
    assert 'class="choices"' in file
    assert file.count("<td>somebody</td>") == 1_000


@pytest.mark.parametrize("text_format", ["plain", "latex"])
def test_a_hostile_question_runs_and_fetches_nothing(text_format: str, lab: Lab, annotator: User) -> None:
    token = tokens.token_make(episode_id=1, key=django_settings.TOKEN_KEY)
    bad = f"{HOSTILE} /e/{token}/"
    formulas = rf"${bad}$ \[\href{{javascript:alert(1)}}{{{bad}}}\] ${'{' * 3_000} <image 1>"
    payload = {
        "text": f"{bad} {formulas}",
        "format": text_format,
        "passage": bad,
        "pictures": [{**PICTURES[0], "name": bad}],
        "choices": [{"label": bad, "text": formulas}, {"label": "B", "text": bad}],
        "table": {"header": [bad], "rows": [[bad], [formulas]]},
        "signature": bad,
        "asserts": [bad],
    }
    task = factories.task(kind="choice", payload=payload, prompt=bad)
    file = file_of(lab(annotator), factories.episode(task=task, variation={"order": [1, 0]}))
    assert "[Figure 1]" in file
    assert file.count("&lt;script&gt;") >= 9
    assert "<script" not in file
    assert "<img" not in file
    assert "\u202e" not in file
    assert token not in file
    names = {name for tag in _tags_of(file) for name in tag}
    assert "title" in names or text_format == "plain"
    assert not {name for name in names if name in ("src", "href", "style") or name.startswith("on")}


def _tags_of(html: str) -> list[list[str]]:
    """The attribute names of each tag."""
    names: list[list[str]] = []
    parser = HTMLParser()
    parser.handle_starttag = lambda _tag, attributes: names.append([name for name, _ in attributes])
    parser.feed(html)
    return names
