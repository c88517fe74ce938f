"""Episodes side by side."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tasks_app.models import Task
from tests import factories
from tests.conftest import LabClient
from trajectories.lab.compare import comparison, selectors
from trajectories.models import Episode, Step

Lab = Callable[[User | None], LabClient]


def walked(*pages: str, task: Any = None, arm: str = "gym", **fields: Any) -> Episode:
    """An episode that clicks the one button of each page."""
    made = factories.episode(task=task or factories.task(), arm=arm, **fields)
    for index, page in enumerate(pages, start=1):
        factories.step(
            made,
            index,
            thought=f"Here is {page}.",
            action={"type": "click", "target": f"e{made.pk}"},
            observation_text=f'page "{page}"\n[e{made.pk}] button "Go on"',
            url=f"https://gym/{page}",
        )
    return made


def address(*episodes: Episode, **more: object) -> str:
    query = "".join(f"&{name}={value}" for name, value in more.items())
    return f"/compare?episodes={','.join(str(one.pk) for one in episodes)}{query}"


def kinds(*episodes: Episode) -> list[str]:
    compared = comparison.Comparison(selectors.episodes_get([one.pk for one in episodes]))
    return [row.kind for stretch in compared.stretches for row in stretch.rows]


@pytest.fixture
def task(db: None) -> Any:
    return factories.task()


def test_other_ids_of_the_same_elements_are_the_same_action(task: Task) -> None:
    assert kinds(walked("a", "b", task=task), walked("a", "b", task=task)) == ["same", "same"]


@pytest.mark.parametrize(("benchmark", "kind"), [("gsm8k", "alike"), ("stays", "differs")])
def test_the_start_address_of_two_benchmarks_is_not_the_same_page(
    lab: Lab, annotator: User, task: Task, benchmark: str, kind: str
) -> None:
    other = factories.task(benchmark=factories.benchmark(id=benchmark))
    one, two = walked("a", task=task), walked("a", task=other)
    shown = f'page "Elsewhere"\n[e{two.pk}] button "Go on"'
    Step.objects.filter(episode=two).update(observation_text=shown)
    assert kinds(one, two) == [kind]
    page = lab(annotator).get(address(one, two)).content.decode()
    assert "of different tasks" in page
    assert "of task " not in page


def test_the_first_divergence_is_marked_and_linked(lab: Lab, annotator: User, task: Task) -> None:
    one, two = walked("a", "b", "c", task=task), walked("a", "x", "c", task=task)
    page = lab(annotator).get(address(one, two)).content.decode()
    assert page.count("is-first") == 1
    assert 'href="?episodes=' + f'{one.pk},{two.pk}#row-2"' in page
    assert "1 of 3 rows differ" in page


def test_equal_rows_are_folded_and_few_are_not(lab: Lab, annotator: User, task: Task) -> None:
    one, two = walked("a", "b", "c", "d", task=task), walked("a", "b", "c", "e", task=task)
    client = lab(annotator)
    assert "3 equal rows" in client.get(address(one, two)).content.decode()
    short = walked("a", "b", "z", task=task)
    assert "equal rows" not in client.get(address(one, short)).content.decode()


def test_verdicts_and_answers_are_at_the_top(lab: Lab, annotator: User, task: Task) -> None:
    one, two = walked("a", task=task), walked("a", task=task)
    factories.submission(one, "forty-two")
    factories.verdict(one)
    page = lab(annotator).get(address(one, two)).content.decode()
    assert "verdict-correct" in page
    assert "forty-two" in page
    assert factories.GOLD_CANARY not in page


def test_a_completion_is_shown_beside_all_steps_of_the_gym(lab: Lab, annotator: User, task: Task) -> None:
    text = factories.episode(task=task, arm="text_zero_shot", answer_channel="api")
    factories.step(text, 1, thought="Six times seven.\nAnswer: 42")
    gym = walked("a", "b", task=task)
    response = lab(annotator).get(address(gym, text))
    page = response.content.decode()
    assert [column.episode.pk for column in response.context["page"].comparison.columns] == [text.pk, gym.pk]
    assert "compare-completions" in page
    assert "Six times seven." in page
    assert "First divergence" not in page
    assert page.index("Six times seven.") < page.index("Here is a.")
    assert "Episodes without pages come first" in page
    assert "come first" not in lab(annotator).get(address(gym, walked("a", task=task))).content.decode()


def test_text_with_several_steps_stands_beside_pages_and_in_rows_beside_text(task: Task) -> None:
    text, page = walked("a", "b", task=task, arm="text_agent"), walked("a", "b", "c", task=task)
    beside = comparison.Comparison(selectors.episodes_get([page.pk, text.pk]))
    assert [column.episode.pk for column in beside.columns] == [text.pk, page.pk]
    assert [len(row.cells) for stretch in beside.stretches for row in stretch.rows] == [1, 1, 1]
    assert [cell.step and cell.step["index"] for cell in beside.texts[0].cells] == [1, 2]
    paired = comparison.Comparison(
        selectors.episodes_get([text.pk, walked("a", task=task, arm="text_agent").pk, page.pk][:2])
    )
    assert [column.is_beside for column in paired.columns] == [True, False]


def test_golds_stand_beside_answers_for_those_who_may_see_them(
    lab: Lab, owner: User, annotator: User, task: Task
) -> None:
    right, wrong = walked("a", task=task), walked("a", task=task)
    for one, answer, outcome in ((right, "42", "correct"), (wrong, "17", "incorrect")):
        factories.submission(one, answer)
        factories.verdict(one, outcome)
    page = lab(owner).get(address(right, wrong)).content.decode()
    assert (page.count("compare-equal"), page.count("compare-unequal")) == (1, 1)
    assert page.count('<span class="muted">gold</span>') == 2
    hidden = lab(annotator).get(address(right, wrong)).content.decode()
    assert "compare-gold" not in hidden


def test_check_boxes_and_a_comma_separated_list_select_the_same_episodes(
    lab: Lab, annotator: User, task: Task
) -> None:
    one, two = walked("a", task=task), walked("a", task=task)
    client, listed = lab(annotator), f"/compare?episodes={one.pk},{two.pk}"
    boxes = f"episodes={one.pk}&episodes={two.pk}&episodes={one.pk}&episodes="
    selected = client.get(f"/compare?from=7&{boxes}")
    assert (selected.status_code, selected["Location"]) == (302, f"{listed}&from=7")
    assert [episode.pk for episode in client.get(listed).context["page"].episodes] == [one.pk, two.pk]


@pytest.mark.parametrize(
    ("query", "shared"),
    [("episodes=", ""), ("episodes=,&episodes=&from=3", "?from=3"), ("episodes=x,+,x", "?episodes=x")],
)
def test_a_shareable_address_has_no_duplicates_and_no_empty_values(
    query: str, shared: str, lab: Lab, annotator: User
) -> None:
    client = lab(annotator)
    assert client.get(f"/compare?{query}")["Location"] == f"/compare{shared}"
    assert client.get(f"/compare{shared}").status_code == 200


@pytest.mark.parametrize(
    ("query", "error"),
    [
        ("from=x", "From row: “x” is not a row number. This filter is ignored."),
        ("from=99", "There is no row 99; showing the last rows."),
        ("from=1&from=1", "“from” is given 2 times; the last one counts."),
        ("first=1", "“first” is not a filter of a comparison; ignored."),
        ("from=2", None),
    ],
)
def test_nonsense_in_an_address_is_reported(
    query: str, error: str | None, lab: Lab, annotator: User, task: Task
) -> None:
    one, two = walked("a", "b", task=task), walked("a", "b", task=task)
    response = lab(annotator).get(f"{address(one, two)}&{query}")
    assert response.context["page"].errors == ([error] if error else [])
    assert (error or "2 episodes side by side") in response.content.decode()


def test_one_episode_alone_offers_the_others_of_its_task(lab: Lab, annotator: User, task: Task) -> None:
    one, other = walked("a", task=task), walked("b", task=task)
    stranger = walked("c")
    ((_, choices),) = lab(annotator).get(address(one)).context["page"].choices
    assert [episode.pk for episode in choices] == [other.pk]
    assert stranger.pk not in {episode.pk for episode in choices}


def test_other_episodes_are_offered_under_the_name_of_their_task(lab: Lab, annotator: User) -> None:
    first, second, third = (factories.task(key=key) for key in ("first-key", "second-key", "third-key"))
    pair = walked("a", task=first), walked("a", task=second)
    others = [walked("b", task=task) for task in (first, second, third)]
    response = lab(annotator).get(address(*pair))
    groups = {task.pk: episodes for task, episodes in response.context["page"].choices}
    assert groups == {first.pk: [others[0]], second.pk: [others[1]]}
    heads = response.content.decode().partition('class="compare-heads"')[2].partition("</ol>")[0]
    assert "first-key" in heads
    assert "second-key" in heads
    offered = response.content.decode().partition('class="compare-choices"')[2]
    assert "first-key" in offered
    assert "second-key" in offered
    assert "third-key" not in offered


def test_more_than_four_episodes_are_cut_with_a_notice(lab: Lab, annotator: User, task: Task) -> None:
    five = [walked("a", task=task) for _ in range(5)]
    response = lab(annotator).get(address(*five))
    assert len(response.context["page"].episodes) == 4
    assert "showing the first four" in response.content.decode()


@pytest.mark.parametrize(
    "query",
    ["", "episodes=", "episodes=x,%00", "episodes=<script>alert(1)</script>", "from=-3", "episodes=9"],
)
def test_nonsensical_addresses_get_a_page(query: str, lab: Lab, annotator: User, db: None) -> None:
    response = lab(annotator).get(f"/compare?{query}", follow=True)
    assert response.status_code == (404 if query == "episodes=9" else 200)
    assert b"<script>alert" not in response.content


def test_a_missing_episode_is_named(lab: Lab, annotator: User, task: Task) -> None:
    response = lab(annotator).get(f"/compare?episodes={walked('a', task=task).pk},987654")
    assert response.status_code == 404
    assert "987654" in response.content.decode()


def test_hostile_text_is_escaped(lab: Lab, annotator: User, task: Task) -> None:
    bad = "<script>alert(1)</script>\u202e"
    one = factories.episode(task=task)
    factories.step(one, 1, thought=bad, action={"type": bad, "target": bad}, url=bad, observation_text=bad)
    factories.submission(one, bad)
    page = lab(annotator).get(address(one, walked("a", task=task))).content.decode()
    assert "<script>alert" not in page
    assert "\u202e" not in page


def test_more_steps_cost_no_more_queries(lab: Lab, annotator: User, task: Task) -> None:
    client = lab(annotator)

    def queries(steps: int) -> int:
        pair = [walked(*(f"p{n}" for n in range(steps)), task=task) for _ in range(2)]
        with CaptureQueriesContext(connection) as counted:
            assert client.get(address(*pair)).status_code == 200
        return len(counted)

    client.get("/episodes/")
    assert queries(3) == queries(150)


def test_a_long_comparison_is_paged(lab: Lab, annotator: User, task: Task) -> None:
    names = [f"p{n}" for n in range(130)]
    one, two = walked(*names, task=task), walked(*names[:120], "x", *names[121:], task=task)
    client = lab(annotator)
    page = client.get(address(one, two, **{"from": 1})).content.decode()
    assert f'href="?episodes={one.pk},{two.pk}&amp;from=101#row-121"' in page
    assert "Here is p99." in page
    assert "Here is p100." not in page
    parted = client.get(address(one, two)).content.decode()
    assert "Here is p100." in parted
    row = parted.partition('id="row-121"')[2].partition("</p>")[0]
    assert row.endswith('id="first-divergence">First divergence')


def test_a_page_beside_a_text_is_marked_where_it_enters_its_answer(
    lab: Lab, annotator: User, task: Task
) -> None:
    text = factories.episode(task=task, arm="text_zero_shot")
    factories.step(text, 1, action={"type": "answer", "text": "8"}, action_type="answer")
    factories.submission(text, "8")
    on_page = walked("a", "b", "c", task=task)
    factories.step(on_page, 7, action={"type": "type", "text": "7"}, action_type="type")
    factories.step(on_page, 8, action={"type": "click"}, action_type="click")
    factories.submission(on_page, "7")
    html = lab(annotator).get(address(text, on_page)).content.decode()
    assert 'href="#first-divergence">row 4</a>' in " ".join(html.split())
    row = html.partition('id="row-4"')[2].partition("</p>")[0]
    assert row.endswith('id="first-divergence">Gives its answer')


def test_every_list_has_check_boxes_for_comparing(lab: Lab, annotator: User, task: Task) -> None:
    one, _ = walked("a", task=task), walked("b", task=task)
    client = lab(annotator)
    for path in ("/search", f"/tasks/{task.pk}/", f"/runs/{one.run_id}/"):
        page = client.get(path).content.decode()
        assert f'value="{one.pk}"' in page
