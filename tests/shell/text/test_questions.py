"""The question of a task in the lab, for every kind of question."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection

from tasks_app.models import Gold
from tests import factories
from tests.arena.test_choice import PAYLOAD as CHOICE
from tests.arena.test_choice import PICTURES
from tests.arena.test_code import PAYLOAD as CODE
from tests.conftest import LabClient
from trajectories.models import Episode
from trajectories.shell.queries import tasks
from trajectories.shell.text.questions import content_parts

Lab = Callable[[User | None], LabClient]
MOVED = "Choices are shown in this episode's order"


def episode_of(kind: str, payload: dict[str, Any], **fields: Any) -> Episode:
    return factories.episode(task=factories.task(kind=kind, payload=payload), **fields)


def words(html: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", html).split()).replace("&#x27;", "'")


@pytest.mark.parametrize("page", ["", "steps/1"])
@pytest.mark.parametrize(
    ("order", "expected", "is_moved"),
    [
        (
            [3, 0, 1, 2],
            "A. Glass source D B. Copper &lt;wire&gt; source A C. A dry sponge with a hole source B D. Both A and B source C",  # noqa: E501
            True,
        ),
        ([0, 1, 2, 3], "A. Copper &lt;wire&gt; B. A dry sponge with a hole C. Both A and B D. Glass", False),
    ],
)
def test_an_episode_shows_choices_in_its_own_order(
    page: str, order: list[int], expected: str, is_moved: bool, lab: Lab, owner: User
) -> None:
    episode = episode_of("choice", CHOICE, variation={"order": order})
    factories.step(episode)

    html = words(lab(owner).get(f"/episodes/{episode.pk}/{page}").content.decode())

    assert expected in html
    assert (MOVED in html) == is_moved


def test_answer_gold_and_verdict_are_named_by_the_labels_of_the_episode(lab: Lab, owner: User) -> None:
    episode = episode_of("choice", CHOICE, variation={"order": [3, 0, 1, 2]})
    Gold.objects.filter(task=episode.task).update(answer="A", accepted=["C"])
    opinions = {"choice-v2": {"correct": False, "parsed_answer": "A", "parsed_gold": "B"}}
    factories.submission(episode, "A")
    factories.verdict(episode, verifier="choice-v2", evidence={"verifiers": opinions})
    client = lab(owner)

    html = words(client.get(f"/episodes/{episode.pk}/").content.decode())
    task = words(client.get(f"/tasks/{episode.task_id}/").content.decode())

    assert "Answer received A (source D)" in html
    assert "Answer B (source A) Also accepted D (source C)" in html
    assert "Choice labels here are those of this episode." in html
    assert "Answer A Also accepted C" in task


def test_an_outdated_choice_order_names_no_source_labels(lab: Lab, owner: User) -> None:
    episode = episode_of("choice", CHOICE, variation={"order": [4, 0, 1, 2, 3]})
    Gold.objects.filter(task=episode.task).update(answer="A")

    html = words(lab(owner).get(f"/episodes/{episode.pk}/").content.decode())

    assert "A. Copper &lt;wire&gt; B. A dry sponge" in html
    assert "hidden from agents Answer A " in html
    assert "(source" not in html


@pytest.mark.parametrize("path", ["", "prompt", "export.html"])
def test_a_choice_order_of_a_task_without_choices_is_no_error(path: str, lab: Lab, owner: User) -> None:
    payload = {"text": "Which of them?", "format": "plain"}
    episode = episode_of("free_answer", payload, variation={"order": [1, 0]}, arm="text_zero_shot")

    response: Any = lab(owner).get(f"/episodes/{episode.pk}/{path}")

    assert response.status_code == 200
    html = bytes(response.getvalue()).decode()
    assert "Which of them?" in html
    assert "</html>" in html


def test_a_task_shows_choices_in_source_order(lab: Lab, owner: User) -> None:
    task = factories.task(kind="choice", payload={**CHOICE, "passage": "Metals conduct."})

    html = words(lab(owner).get(f"/tasks/{task.pk}/").content.decode())

    assert "Metals conduct. Which of them carries a current? A. Copper &lt;wire&gt; B. A dry sponge" in html
    assert MOVED not in html


def test_pictures_are_served_from_the_lab(lab: Lab, owner: User) -> None:
    choices = [{"label": "A", "text": "<image 2>"}]
    task = factories.task(
        kind="choice", payload={"text": "See.", "choices": choices, "pictures": PICTURES[:2]}
    )

    html = lab(owner).get(f"/tasks/{task.pk}/").content.decode()

    pictures = re.findall(r'<img src="/blobs/(\d)\1{63}"\s+alt="(.*?)"\s+width="(\d+)"', html)
    assert pictures == [("1", "Figure 1", "40"), ("2", "Figure 2", "80")]


def test_a_code_question_shows_its_signature_and_all_asserts(lab: Lab, owner: User) -> None:
    asserts = ["assert add(1, 2) == 3", "assert add(0, 0) == 0"]
    episode = episode_of("code", CODE, variation={"asserts": asserts})

    html = lab(owner).get(f"/episodes/{episode.pk}/").content.decode()

    assert '<pre dir="ltr">def add(a, b):</pre>' in html
    assert '<pre dir="ltr">assert add(1, 2) == 3\nassert add(0, 0) == 0</pre>' in html


def test_a_table_question_is_shown_as_a_table(lab: Lab, owner: User) -> None:
    payload = {
        "text": "Which year?",
        "table": {"header": ["Year", "<b>"], "rows": [["1999", ""], ["2000", "x"]]},
    }
    task = factories.task(kind="table", payload=payload)

    html = lab(owner).get(f"/tasks/{task.pk}/").content.decode()

    assert re.findall(r'<th scope="col">(.*?)</th>', html)[:2] == ["Year", "&lt;b&gt;"]
    assert "<td>1999</td><td></td>" in re.sub(r"\s*\n\s*", "", html)


def test_a_task_without_a_text_shows_its_prompt(lab: Lab, owner: User) -> None:
    task = factories.task(payload={"world": 3}, prompt="Book a room.")

    assert '<p data-block="1">Book a room.</p>' in lab(owner).get(f"/tasks/{task.pk}/").content.decode()


def test_the_prompt_shows_its_pictures(lab: Lab, owner: User) -> None:
    payload = {"text": "See <image 1>.", "format": "plain", "pictures": PICTURES[:1]}
    task = factories.task(kind="picture", payload=payload, prompt=f"See ![Figure 1](blob:{'1' * 64}).")
    group = factories.group(task=task, arm="text_zero_shot")
    episode = factories.episode(group=group)

    html = lab(owner).get(f"/episodes/{episode.pk}/").content.decode()

    assert html.count(f'<img src="/blobs/{"1" * 64}"') == 2


def test_a_message_is_split_into_texts_and_pictures() -> None:
    pictures = [
        {"type": "image_url", "image_url": {"url": url}} for url in (f"http://lab/blobs/{'a' * 64}", "x:y")
    ]

    assert content_parts([{"type": "text", "text": "See"}, *pictures]) == [
        {"text": "See"},
        {"sha256": "a" * 64},
        {"text": "x:y"},
    ]
    assert content_parts("plain") == [{"text": "plain"}]


def test_programs_and_grids_keep_their_lines(lab: Lab, owner: User) -> None:
    episode = factories.episode(task=factories.task(answer="def f():\n    return 1"))
    factories.submission(episode, "def f():\n    return 2")

    html = lab(owner).get(f"/episodes/{episode.pk}/").content.decode()

    assert '<pre class="boxed" tabindex="0">def f():\n    return 1</pre>' in html
    assert '<pre class="boxed" tabindex="0">def f():\n    return 2</pre>' in html


@pytest.mark.parametrize("path", ["/tasks/", "/search"])
def test_lists_show_the_question_and_not_its_table(path: str, lab: Lab, owner: User) -> None:
    payload = {"text": "Which year?", "table": {"header": ["Year"], "rows": [["1999"]]}}
    factories.episode(
        task=factories.task(kind="table", payload=payload, prompt="| Year |\n| --- |\n\nWhich year?")
    )
    factories.episode(task=factories.task(payload={"world": 3}, prompt="Book a room."))

    html = words(lab(owner).get(path).content.decode())

    assert "Which year?" in html
    assert "Book a room." in html
    assert "| Year |" not in html


def kinds_made() -> dict[str, Any]:
    return {
        "words": factories.task(),
        "code": factories.task(kind="code", payload=CODE),
        "choice": factories.task(kind="choice", payload={**CHOICE, "pictures": PICTURES[:2]}),
        "cut": factories.task(gap_eligible=False, gap_reason="its text is cut"),
    }


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", {"words", "code", "choice", "cut"}),
        ("kind=code", {"code"}),
        ("kind=free_answer&gap=counted", {"words"}),
        ("gap=left_out", {"cut"}),
        ("gap=perhaps&kind=opera", {"words", "code", "choice", "cut"}),
    ],
)
def test_tasks_are_filtered_by_kind_and_by_gap_eligibility(
    query: str, expected: set[str], lab: Lab, owner: User
) -> None:
    made = kinds_made()

    html = lab(owner).get(f"/tasks/?{query}", headers={"HX-Request": "true"}).content.decode()

    assert {name for name, one in made.items() if f'href="/tasks/{one.pk}/"' in html} == expected


@pytest.mark.parametrize(
    ("query", "is_match"),
    [
        ("needle", True),
        ("HAYSTACKS needle", True),
        ('"a needle"', True),
        ("train 7", True),
        ("needle or nothing", True),
        ("level-2", True),
        ("family:lost_things", True),
        ("need", False),
        ("needle -haystacks", False),
        ("lost", False),
        ("50%", True),
    ],
)
def test_a_task_search_matches_whole_words_of_text_and_key_or_a_full_tag(
    query: str, is_match: bool, lab: Lab, owner: User
) -> None:
    tags = ["family:lost_things", "level-2"]
    task = factories.task(key="train/7.json", prompt="A needle in haystacks: 50%?", tags=tags)
    factories.task(prompt="Another.")

    html = lab(owner).get("/tasks/", {"q": query}, headers={"HX-Request": "true"}).content.decode()

    assert re.findall(r'href="/tasks/(\d+)/"', html) == ([str(task.pk)] if is_match else [])


@pytest.mark.django_db
def test_a_task_search_uses_the_indexes_of_words_and_tags() -> None:
    with connection.cursor() as cursor:
        # Of an empty table Postgres may well read the keys in their order, as a way around sorting.
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute("SET LOCAL enable_indexscan = off")
        cursor.execute("SET LOCAL enable_indexonlyscan = off")
        cursor.execute(f"EXPLAIN {tasks.MATCHING}", {"q": '"needle"', "tag": "needle"})
        plan = "\n".join(row[0] for row in cursor.fetchall())
    assert "on task_words" in plan
    assert "on task_tags" in plan


def test_the_list_of_tasks_says_what_its_search_matches(lab: Lab, owner: User) -> None:
    html = lab(owner).get("/tasks/").content.decode()

    assert 'aria-describedby="id_q_helptext"' in html
    assert "Matches whole words" in html.split('id="id_q_helptext"')[1]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"q": "-<b>"}, "Search: “-&lt;b&gt;” needs at least one word to match. This filter is ignored."),
        ({"kind": "opera"}, "Kind: “opera” is not among the choices. This filter is ignored."),
        ({"gap": "perhaps"}, "In the gap: “perhaps” is not among the choices."),
        ({"cursor": "x"}, "“x” is not a position in this list."),
    ],
)
@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true"}], ids=["page", "fragment"])
def test_a_nonsensical_task_filter_is_ignored_with_a_notice(
    filters: dict[str, str], expected: str, headers: dict[str, str], lab: Lab, owner: User
) -> None:
    task = factories.task()

    html = lab(owner).get("/tasks/", filters, headers=headers).content.decode()

    assert expected in html
    assert f'href="/tasks/{task.pk}/"' in html


def test_the_list_names_kinds_and_shows_the_first_picture(lab: Lab, owner: User) -> None:
    text = "Which of <image 1> and <image 2>?"
    factories.task(kind="picture", payload={"text": text, "pictures": PICTURES[:2]})

    html = lab(owner).get("/tasks/").content.decode()

    assert ">Picture</td>" in html
    assert re.findall(r'src="/blobs/(\d)\1{63}/thumbnail"', html) == ["1"]
    assert "Which of [Figure 1] and [Figure 2]?" in html


@pytest.mark.parametrize(
    ("kind", "payload", "expected"),
    [
        ("choice", CHOICE, "Choices 4, in their order"),
        ("choice", {**CHOICE, "order": "free"}, "Choices 4, free to move"),
        ("picture", {"text": "?", "pictures": PICTURES}, "Pictures 3 Tools zoom (if a run grants them)"),
        ("table", {"text": "?", "table": {"header": ["a", "b"], "rows": [["1", "2"]]}}, "Table 1 rows of 2"),
        ("code", CODE, "Tools run (if a run grants them)"),
        ("a_kind_of_old", {"text": "?"}, "Kind a_kind_of_old Verifier"),
    ],
)
def test_a_task_page_lists_the_parts_of_its_question(
    kind: str, payload: dict[str, Any], expected: str, lab: Lab, owner: User
) -> None:
    task = factories.task(kind=kind, payload=payload)

    assert expected in words(lab(owner).get(f"/tasks/{task.pk}/").content.decode())


def test_an_episode_names_the_tools_it_was_granted(lab: Lab, owner: User) -> None:
    episode = episode_of("code", CODE, variation={"tools": ["run"]})

    assert "Tools run Answers by" in words(lab(owner).get(f"/episodes/{episode.pk}/").content.decode())


def test_hidden_tests_are_shown_only_with_the_gold(lab: Lab, owner: User, annotator: User) -> None:
    episode = episode_of("code", CODE)
    Gold.objects.filter(task=episode.task).update(extra={"tests": ["assert add(70, 7) == 77"]})

    for path in (f"/episodes/{episode.pk}/", f"/tasks/{episode.task_id}/"):
        assert "add(70, 7)" in lab(owner).get(path).content.decode()
        assert "add(70, 7)" not in lab(annotator).get(path).content.decode()
