from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests import factories
from tests.conftest import ApiClient
from trajectories.models import Episode, StepValue

pytestmark = pytest.mark.django_db
Api = Callable[..., ApiClient]


def _fork(parent: Episode, *, after: int, **fields: Any) -> Episode:
    return factories.episode(
        group=factories.group(run=parent.run, task=parent.task), parent=parent, begins_after=after, **fields
    )


def _tree(client: ApiClient, episode: Episode, query: str = "") -> dict[str, Any]:
    status, answer = client.json("GET", f"/episodes/{episode.pk}/tree{query}")
    assert status == 200, answer
    return answer


@pytest.fixture
def line() -> list[Episode]:
    """A root of two steps, two forks of it, and a fork of the first."""
    root = factories.episode()
    factories.step(root, 1)
    factories.step(root, 2)
    factories.verdict(root, "incorrect")
    void, other = _fork(root, after=1), _fork(root, after=2)
    factories.verdict(void, "void")
    leaf = _fork(other, after=2, guidance={"kind": "hint"})
    factories.step(leaf, 3)
    factories.verdict(leaf, "correct")
    _fork(factories.episode(), after=0)
    return [root, void, other, leaf]


def test_every_node_shows_the_whole_tree_parents_first(api: Api, line: list[Episode]) -> None:
    trees = [_tree(api("read"), episode)["results"] for episode in line]
    assert trees[0] == trees[1] == trees[2] == trees[3]
    root, void, other, leaf = trees[0]
    assert [node["id"] for node in trees[0]] == [episode.pk for episode in line]
    assert (root["parent"], root["steps"], root["outcome"]) == (None, 2, "incorrect")
    assert (void["parent"], void["begins_after"], void["outcome"]) == (root["id"], 1, "void")
    assert void["reason"]
    assert void["reward"] is None
    assert (other["status"], other["outcome"], other["steps"]) == ("open", None, 2)
    assert (leaf["parent"], leaf["steps"], leaf["is_guided"]) == (other["id"], 3, True)


def test_a_tree_is_read_in_pages(api: Api, line: list[Episode]) -> None:
    first = _tree(api("read"), line[3], "?limit=3")
    rest = _tree(api("read"), line[3], f"?limit=3&cursor={first['next']}")
    assert [node["id"] for node in [*first["results"], *rest["results"]]] == [one.pk for one in line]
    assert rest["next"] is None


def test_one_statement_reads_a_tree_of_any_size(
    api: Api, line: list[Episode], django_assert_max_num_queries: Any
) -> None:
    with django_assert_max_num_queries(20) as few:
        _tree(api("read"), line[0])
    for _ in range(20):
        line.append(_fork(line[-1], after=2))
    with django_assert_max_num_queries(len(few)):
        assert len(_tree(api("read"), line[0])["results"]) == len(line)


def test_what_is_left_of_a_line_is_a_tree(api: Api, line: list[Episode]) -> None:
    root, void, other, leaf = line
    Episode.objects.filter(pk=other.pk)._raw_delete("default")
    (left,) = _tree(api("read"), leaf)["results"]
    assert (left["id"], left["parent"]) == (leaf.pk, other.pk)
    assert [node["id"] for node in _tree(api("read"), void)["results"]] == [root.pk, void.pk]


def test_values_are_shown_in_the_tree_and_replaced(api: Api, line: list[Episode]) -> None:
    _post(api("trainer"), line[0], [(2, 0.25, 4), (0, 0.5, 8), (2, 0.75, 4)])
    _post(api("trainer"), line[0], [(0, -1.0, 9)])
    _post(api("trainer"), line[3], [(2, 1, 1), (3, 1, 1)])
    nodes = {node["id"]: node["values"] for node in _tree(api("read"), line[1])["results"]}
    assert nodes[line[0].pk] == [
        {"step": 0, "value": -1.0, "visits": 9},
        {"step": 2, "value": 0.75, "visits": 4},
    ]
    assert [value["step"] for value in nodes[line[3].pk]] == [2, 3]
    assert nodes[line[1].pk] == []


def _post(client: ApiClient, episode: Episode, values: list[Any], *, status: int = 200) -> Any:
    body = {"values": [dict(zip(("step", "value", "visits"), one, strict=True)) for one in values]}
    got, answer = client.json("POST", f"/episodes/{episode.pk}/values", body)
    assert got == status, answer
    return answer


@pytest.mark.parametrize("value", [(3, 0.5, 1), (99, 0.5, 1)])
def test_a_step_that_there_is_not_has_no_value(api: Api, line: list[Episode], value: Any) -> None:
    answer = _post(api("trainer"), line[0], [(1, 0.5, 1), value], status=422)
    assert answer["error"]["code"] == "no_such_step"
    assert not StepValue.objects.exists()


def test_a_fork_has_no_value_before_it_begins(api: Api, line: list[Episode]) -> None:
    _post(api("trainer"), line[3], [(1, 0.5, 1)], status=422)


@pytest.mark.parametrize("value", [(1, 1e301, 1), (1, "0.5", 1), (1, None, 1), (1, 0.5, -1), (-1, 0.5, 1)])
def test_what_is_no_value_is_refused(api: Api, line: list[Episode], value: Any) -> None:
    _post(api("trainer"), line[0], [value], status=400)


def test_values_are_for_trainers(api: Api, line: list[Episode]) -> None:
    _post(api("read"), line[0], [(1, 0.5, 1)], status=403)


@pytest.mark.parametrize(
    ("origin", "places"), [("plain", [0]), ("forked", [1, 2]), ("guided", [3]), ("taken_over", [4, 5, 6])]
)
def test_episodes_are_listed_by_origin(api: Api, line: list[Episode], origin: str, places: list[int]) -> None:
    root = line[0]
    taken: dict[str, Any] = {"is_taken_over": True}
    line += [_fork(root, after=1, **taken), _fork(root, after=1, guidance={"kind": "hint"}, **taken)]
    line.append(factories.episode(run=root.run, **taken))
    path = f"/episodes?run={line[0].run_id}&origin={origin}"
    listed = [one["id"] for one in api("read").json("GET", path)[1]["results"]]
    assert listed == [line[place].pk for place in places]


def test_an_unknown_origin_is_refused(api: Api) -> None:
    assert api("read").json("GET", "/episodes?origin=forkd")[0] == 400
