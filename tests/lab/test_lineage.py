"""Forks in the lab: their tree, their steps, their comparison and their place in lists."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests import factories
from tests.conftest import LabClient
from trajectories.lab.compare import comparison, selectors
from trajectories.models import Episode, StepValue
from trajectories.shell.queries import lineage

pytestmark = pytest.mark.django_db
Lab = Callable[[User | None], LabClient]


def _steps(episode: Episode, first: int, last: int) -> Episode:
    for index in range(first, last + 1):
        factories.step(
            episode,
            index,
            thought=f"Thought {index} of {episode.pk}.",
            action={"type": "click", "target": f"e{index}"},
            observation_text=f'page "{index}"\n[e{index}] button "Go on"',
            url=f"https://gym/{index}",
        )
    return episode


def _fork(parent: Episode, *, after: int, last: int = 0, **fields: Any) -> Episode:
    group = factories.group(run=parent.run, task=parent.task)
    fork = factories.episode(group=group, parent=parent, begins_after=after, **fields)
    return _steps(fork, after + 1, last or after + 2)


@pytest.fixture
def root() -> Episode:
    episode = _steps(factories.episode(), 1, 4)
    factories.verdict(episode, "incorrect")
    return episode


def _nodes(episode: Episode) -> list[tuple[int, int, bool]]:
    tree = lineage.read_lineage(episode)
    return [(node.episode.pk, node.depth, node.is_current) for node in tree.nodes] if tree else []


def test_an_episode_without_relatives_has_no_tree(lab: Lab, annotator: User, root: Episode) -> None:
    assert lineage.read_lineage(root) is None
    assert "Lineage" not in lab(annotator).get(f"/episodes/{root.pk}/").content.decode()


def test_each_fork_follows_its_parent(root: Episode) -> None:
    one, two = _fork(root, after=1), _fork(root, after=2)
    leaf = _fork(one, after=2)
    assert _nodes(leaf) == [(root.pk, 0, False), (one.pk, 1, False), (leaf.pk, 2, True), (two.pk, 1, False)]


@pytest.mark.parametrize("path", ["/episodes/{}/", "/episodes/{}/steps/2"])
def test_pages_of_a_fork_show_its_tree_with_outcomes(
    lab: Lab, annotator: User, root: Episode, path: str
) -> None:
    fork = _fork(root, after=1)
    factories.verdict(fork, "correct")
    StepValue.objects.create(episode=fork, step=1, value=0.75, visits=4)
    html = lab(annotator).get(path.format(fork.pk)).content.decode()
    tree = " ".join(html.partition('class="lineage"')[2].partition("</ol>")[0].split())
    assert re.search(rf"Episode {root.pk}</a>.*incorrect.*Episode {fork.pk}</a>.*correct", tree)
    assert f"after step 1 of {root.pk}" in " ".join(tree.split())
    assert "value 0.75, 4 visits" in tree
    assert f'href="/compare?episodes={fork.pk},{root.pk}#first-divergence"' in tree
    assert tree.count("aria-current") == 1


def test_a_large_tree_is_cut_around_the_episode(root: Episode, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lineage, "NODES_SHOWN", 3)
    monkeypatch.setattr(lineage, "COUNTED_MAX", 5)
    forks = [_fork(root, after=1) for _ in range(6)]
    leaf = _fork(forks[-1], after=2)
    tree = lineage.read_lineage(leaf)
    assert tree
    assert [node.episode.pk for node in tree.nodes] == [
        root.pk,
        forks[0].pk,
        forks[1].pk,
        forks[5].pk,
        leaf.pk,
    ]
    assert (tree.is_cut, tree.is_counted) == (True, False)


def test_a_tree_of_any_size_takes_the_same_queries(lab: Lab, annotator: User, root: Episode) -> None:
    client = lab(annotator)

    def queries() -> int:
        with CaptureQueriesContext(connection) as counted:
            client.get(f"/episodes/{root.pk}/")
        return len(counted)

    _fork(root, after=1)
    client.get("/episodes/")
    few = queries()
    for _ in range(9):
        _fork(root, after=2)
    assert queries() == few


def test_the_steps_before_a_fork_are_its_parents(lab: Lab, annotator: User, root: Episode) -> None:
    fork = _fork(root, after=2)
    html = " ".join(lab(annotator).get(f"/episodes/{fork.pk}/").content.decode().split())
    assert "3 to 4 of at most 8" in html
    assert f'Steps 1 to 2: see <a href="/episodes/{root.pk}/">episode {root.pk}</a>' in html
    assert "never recorded" not in html.lower()


def test_parent_and_child_are_compared_where_they_part(lab: Lab, annotator: User, root: Episode) -> None:
    between = _fork(root, after=2, last=3)
    leaf = _fork(between, after=3, last=5)
    compared = comparison.Comparison(selectors.episodes_get([root.pk, leaf.pk]))
    rows = [row for stretch in compared.stretches for row in stretch.rows]
    held = [
        [cell.step and (cell.step["episode_id"], cell.step["index"]) for cell in row.cells] for row in rows
    ]
    assert held[:3] == [[(root.pk, 1)] * 2, [(root.pk, 2)] * 2, [(root.pk, 3), (between.pk, 3)]]
    assert (compared.forked, compared.parted) == (3, 3)
    html = lab(annotator).get(f"/compare?episodes={root.pk},{leaf.pk}").content.decode()
    assert html.count('id="first-divergence"') == 1
    row = html.partition('id="row-3"')[2].partition("</p>")[0]
    assert 'id="first-divergence">Fork' in row
    assert f'href="/episodes/{between.pk}/steps/3"' in html


def test_episodes_that_are_no_relatives_have_no_fork(root: Episode) -> None:
    other = _steps(factories.episode(task=root.task), 1, 4)
    assert comparison.Comparison(selectors.episodes_get([root.pk, other.pk])).forked is None


@pytest.mark.parametrize(
    ("origin", "places"), [("plain", [0]), ("forked", [1]), ("guided", [2]), ("taken_over", [5, 4, 3])]
)
def test_lists_filter_by_origin(
    lab: Lab, annotator: User, root: Episode, origin: str, places: list[int]
) -> None:
    guided: dict[str, Any] = {"guidance": {"kind": "hint"}}
    taken: dict[str, Any] = {"is_taken_over": True}
    made = [root, *(_fork(root, after=1, **how) for how in ({}, guided, taken, guided | taken))]
    made.append(factories.episode(run=root.run, task=root.task, **taken))
    page = lab(annotator).get(f"/search?origin={origin}").context["page"]
    assert [row.episode.pk for row in page.hits] == [made[place].pk for place in places]


def test_a_run_counts_what_is_excluded_from_its_rates(lab: Lab, annotator: User, root: Episode) -> None:
    assert "Excluded from rates" not in lab(annotator).get(f"/runs/{root.run_id}/").content.decode()


def test_forks_and_guided_episodes_of_a_run_are_counted(lab: Lab, annotator: User, root: Episode) -> None:
    _fork(root, after=1)
    _fork(root, after=1)
    _fork(root, after=2, guidance={"kind": "hint"})
    _fork(root, after=2, is_taken_over=True)
    html = " ".join(lab(annotator).get(f"/runs/{root.run_id}/").content.decode().split())
    assert (
        f'href="/search?run={root.run_id}&amp;origin=forked">Forked episodes</a> <span class="number">2'
        in html
    )
    assert 'origin=guided">Guided episodes</a> <span class="number">1' in html
    assert 'origin=taken_over">Taken over episodes</a> <span class="number">1' in html


def test_a_fork_in_a_list_counts_the_steps_that_it_inherited(
    lab: Lab, annotator: User, root: Episode
) -> None:
    fork = _fork(root, after=2, is_taken_over=True)
    html = lab(annotator).get(f"/search?episodes={fork.pk}&columns=episode,steps,parent").content.decode()
    assert "last is" not in html
    assert '<span class="tag">taken over</span>' in html
    assert re.search(r"4\s*<span class=\"muted\">/ 8", html)
    assert '<span class="tag">forked</span>' in html
    assert f'<a href="/episodes/{root.pk}/">{root.pk}</a>' in html
