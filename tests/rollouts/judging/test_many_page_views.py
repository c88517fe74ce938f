"""What an episode with very many page views costs: nothing reads them that does not need them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.conf import settings
from django.db import connection

from gymsite.arena import callers, episodes, tool_calls
from gymsite.arena.sites.events import COMMON_KINDS
from tests.rollouts.judging.test_site_states import cancelling, episode_make, goal, verdict_of
from trajectories.behaviour import ui_evidence
from trajectories.behaviour.facts import source
from trajectories.models import Episode, SiteEvent
from trajectories.rollouts.judging import site_states

pytestmark = pytest.mark.django_db

VIEWS = 50_000
# A page of 8 kB holds over fifty site events.
BUFFERS_MAX = 200


@pytest.fixture
def visited() -> Episode:
    """A solved episode with ``VIEWS`` page views after its change and its answer."""
    change = cancelling(0)
    episode = episode_make(goal(change), change, ("answer_recorded", {}))
    SiteEvent.objects.filter(episode=episode, kind="answer_recorded").update(seq=VIEWS + 10)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO trajectories_siteevent (episode_id, seq, kind, data)"
            " SELECT %s, n, 'page_served', '{}' FROM generate_series(3, %s) n",
            [episode.pk, VIEWS + 2],
        )
        # As autovacuum does once so many rows have come.
        cursor.execute("ANALYZE trajectories_siteevent")
    return episode


def buffers_of(statement: str, **parameters: Any) -> int:
    """The blocks that a statement touches, planned for any parameters as hot statements are."""
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {statement}", parameters)
        (plan,) = cursor.fetchone()
    top = (plan if isinstance(plan, list) else json.loads(plan))[0]["Plan"]
    return int(top["Shared Hit Blocks"] + top["Shared Read Blocks"])


def test_judging_reads_no_page_views(visited: Episode) -> None:
    parameters = ui_evidence.parameters(has_answer=False)
    assert buffers_of(site_states.HISTORY.text, episode=visited.pk, **parameters) < BUFFERS_MAX
    assert verdict_of(visited).outcome == "correct"


def test_a_page_of_a_mock_site_reads_no_page_views(visited: Episode) -> None:
    request = {"step": None, "is_counted": True, "noted": '{"path": "rooms"}', "common": COMMON_KINDS}
    limits = {"pages_max": settings.PAGES_SERVED_MAX, **tool_calls.params()}
    parameters = {**episodes.alive_params(visited.pk), **callers.holder(None), **request, **limits}
    assert buffers_of(episodes._PAGE, **parameters) < BUFFERS_MAX


def test_facts_read_no_more_page_views_than_an_episode_can_have(visited: Episode) -> None:
    """Past their limit no view is stored; here there are ten times as many."""
    parameters = {"observation_chars": 100, "kinds": list(source.EVENT_KINDS), "events_max": 10}
    buffers = buffers_of(source.READ.text, ids=[visited.pk], **parameters)
    assert buffers < BUFFERS_MAX + VIEWS / settings.PAGES_SERVED_MAX * BUFFERS_MAX
