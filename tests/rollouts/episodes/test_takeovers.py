"""A person takes over an episode: the lease, and what it refuses the agent."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.db.models import F
from django.db.models.functions import Now

from core.episodes.tokens import person_token_make, person_token_open, token_make, token_open
from tasks_app.models import Gold
from tests import factories
from tests.conftest import ApiClient
from trajectories.models import Episode, IdempotentCall, PageEvent, PageEventTally, SiteEvent, Step, Takeover
from trajectories.models.takeover import IS_TAKEN
from trajectories.rollouts.episodes import conversations, takeovers
from trajectories.rollouts.episodes import services as episodes
from trajectories.rollouts.judging import queue_sql, reaper

pytestmark = pytest.mark.django_db
KEY = b"k" * 32


def take(client: ApiClient, episode: Episode, *, status: int = 201) -> Any:
    got, answer = client.json("POST", f"/episodes/{episode.pk}/takeover", {"person": "Ada"})
    assert got == status, answer
    return answer


def post_steps(client: ApiClient, episode: Episode, *indices: int, **fields: Any) -> tuple[int, Any]:
    steps = [{"index": index, "raw": f"{index}", **fields} for index in indices]
    return client.json("POST", f"/episodes/{episode.pk}/steps", {"steps": steps})


def hand_back(client: ApiClient, episode: Episode, how: str = "handed_back") -> Any:
    status, answer = client.json("POST", f"/episodes/{episode.pk}/takeover/end", {"how": how})
    assert status == 200, answer
    return answer


def test_while_a_person_acts_the_agents_calls_are_answered_taken_over(trainer: ApiClient) -> None:
    episode = factories.episode(answer_channel="api")
    assert post_steps(trainer, episode, 1)[0] == 200
    taken = take(trainer, episode)
    assert (taken["begins_after"], taken["segment"], taken["steps"]) == (1, "recovery", 0)
    path = f"/episodes/{episode.pk}"
    calls = [
        post_steps(trainer, episode, 2),
        trainer.json("POST", f"{path}/submission", {"answer": "42"}),
        trainer.json("POST", f"{path}/close", {"reason": "agent_stopped"}),
        trainer.json("POST", f"{path}/resume"),
        trainer.json("POST", f"{path}/takeover", {"person": "Bob"}),
    ]
    assert [(status, answer["error"]["code"]) for status, answer in calls] == [(409, "taken_over")] * 5
    assert not Step.objects.filter(episode=episode, index=2).exists()
    assert hand_back(trainer, episode)["ended_as"] == "handed_back"
    assert trainer.json("POST", f"{path}/resume")[1]["next_index"] == 2
    assert post_steps(trainer, episode, 2)[0] == 200


def test_steps_that_were_taken_before_are_recorded_late(trainer: ApiClient) -> None:
    episode = factories.episode()
    assert post_steps(trainer, episode, 1)[0] == 200
    SiteEvent.objects.create(episode=episode, seq=1, step=3, kind="page_served", data={"path": "search"})
    assert take(trainer, episode)["begins_after"] == 3
    assert post_steps(trainer, episode, 2, 3)[0] == 200
    assert post_steps(trainer, episode, 1)[1]["duplicates"] == 1
    status, answer = post_steps(trainer, episode, 3, 4)
    assert (status, answer["error"]["code"]) == (409, "taken_over")
    assert answer["error"]["fields"] == {"begins_after": ["3"]}
    assert Takeover.objects.get().entry == "search"


def test_a_conversation_tells_the_agent_which_steps_were_a_persons(trainer: ApiClient) -> None:
    episode = factories.episode()
    message = {"result_message": "Covered."}
    post_steps(trainer, episode, 1, 2, 3, 4, 5, action_result="ok", **message)
    Step.objects.filter(episode=episode, index__in=(2, 3)).update(actor=Step.Actor.PERSON)
    shown = [turn.shown for turn in conversations.read_turns(episode, last=5)]
    last = "Covered. A person took over for steps 2 to 3."
    assert [one and one.result_message for one in shown] == ["", "Covered.", "Covered.", last, "Covered."]


def test_what_pages_claim_moves_the_person_no_further_than_steps_on_their_way(trainer: ApiClient) -> None:
    episode = factories.episode(max_steps=90)
    PageEvent.objects.create(episode=episode, page="a", seq=1, step=80, kind="click", at_ms=1, data={})
    assert post_steps(trainer, episode, 1)[0] == 200
    assert take(trainer, episode)["begins_after"] == 1
    hand_back(trainer, episode)
    SiteEvent.objects.create(episode=episode, seq=1, step=80, kind="page_served", data={"path": ""})
    assert take(trainer, episode)["begins_after"] == 1 + takeovers.IN_FLIGHT_MAX


def test_the_agent_is_held_before_its_last_step_is_read(
    trainer: ApiClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    episode = factories.episode()
    entry = takeovers.entry_of
    held: list[bool] = []

    def read(*arguments: Any) -> takeovers.Entry:
        held.append(Takeover.objects.filter(episode=episode, ended_at=None).exists())
        return entry(*arguments)

    monkeypatch.setattr(takeovers, "entry_of", read)
    take(trainer, episode)
    assert held == [True]


def test_who_has_lost_the_tab_begins_again(trainer: ApiClient) -> None:
    episode = factories.episode()
    lost, newer = take(trainer, episode), take(trainer, episode)
    assert lost["url"] != newer["url"]
    assert list(Takeover.objects.order_by("pk").values_list("ended_as", flat=True)) == ["idle", ""]
    path = f"/episodes/{episode.pk}/takeover"
    assert trainer.json("POST", path, {"person": "Bob"})[1]["error"]["code"] == "taken_over"


def test_no_link_of_a_takeover_is_stored_for_a_retry(trainer: ApiClient) -> None:
    path = f"/episodes/{factories.episode().pk}/takeover"
    once = {"Idempotency-Key": "once"}
    answers = [trainer.json("POST", path, {"person": "Ada"}, headers=once)[1] for _ in range(2)]
    assert answers[0]["url"] != answers[1]["url"]
    assert not IdempotentCall.objects.exists()


def test_a_taken_over_episode_is_not_plain(trainer: ApiClient) -> None:
    episode = factories.episode()
    assert episode.is_plain
    take(trainer, episode)
    hand_back(trainer, episode)
    episode.refresh_from_db()
    assert (episode.is_taken_over, episode.is_plain) == (True, False)


def test_a_persons_steps_cost_the_agent_no_budget(trainer: ApiClient) -> None:
    episode = factories.episode(max_steps=2, person_steps=2)
    assert post_steps(trainer, episode, 1, 2, 3)[1]["steps_left"] == 1
    assert post_steps(trainer, episode, 4)[1]["truncated"]
    for gestures in (4, 5):
        episode = factories.episode(max_steps=2, person_steps=2)
        PageEventTally.objects.create(episode=episode, gestures=gestures)
    assert [row[1] for row in queue_sql.episodes_overspent()] == [episode.pk]


def test_a_takeover_that_is_idle_for_too_long_is_over(trainer: ApiClient) -> None:
    episode = factories.episode()
    take(trainer, episode)
    Takeover.objects.update(last_at=Now() - timedelta(hours=1))
    assert post_steps(trainer, episode, 1)[0] == 200
    assert take(trainer, episode)["begins_after"] == 1
    assert list(Takeover.objects.order_by("pk").values_list("ended_as", flat=True)) == ["idle", ""]


def test_no_call_says_that_a_person_acted(trainer: ApiClient) -> None:
    episode = factories.episode()
    status, answer = post_steps(trainer, episode, 1, actor="person")
    assert (status, answer["error"]["code"]) == (400, "invalid")
    assert post_steps(trainer, episode, 1, segment="recovery")[0] == 400
    assert post_steps(trainer, episode, 1, actor="human")[0] == 200


def test_an_episode_in_which_a_person_reads_keeps_its_lease(trainer: ApiClient) -> None:
    episode = factories.episode()
    take(trainer, episode)
    assert queue_sql.episodes_open() == []
    hand_back(trainer, episode)
    assert [one.episode_id for one in queue_sql.episodes_open()] == [episode.pk]


def test_giving_up_ends_the_episode_without_an_answer(trainer: ApiClient) -> None:
    episode = factories.episode()
    take(trainer, episode)
    hand_back(trainer, episode, "given_up")
    episode.refresh_from_db()
    assert episode.verdict is not None
    assert (episode.verdict.outcome, episode.verdict.reason) == ("incorrect", "no_submission")
    assert reaper.given_up_end() == 0


def test_what_was_given_up_on_the_page_is_held_until_it_ends(trainer: ApiClient) -> None:
    episode = factories.episode(answer_channel="api")
    take(trainer, episode)
    # As the arena writes it, which may end no episode.
    Takeover.objects.update(ended_at=Now(), ended_as="given_up")
    path = f"/episodes/{episode.pk}"
    calls = [
        post_steps(trainer, episode, 1),
        trainer.json("POST", f"{path}/submission", {"answer": "42"}),
        trainer.json("POST", f"{path}/takeover", {"person": "Ada"}),
    ]
    assert [(status, answer["error"]["code"]) for status, answer in calls] == [(409, "taken_over")] * 3
    assert reaper.given_up_end() == 1
    answered = trainer.json("POST", f"{path}/submission", {"answer": "42"})
    assert answered[1]["error"]["code"] == "episode_final"


@pytest.mark.parametrize(
    ("fields", "status", "code"),
    [
        ({"arm": "text_zero_shot"}, 422, "no_page"),
        ({"arm": "probe_read"}, 422, "probe"),
        ({"run": {"observation": "screenshot-v2"}}, 422, "other_setup"),
        ({"run": {"grammar": "browsergym"}}, 422, "other_setup"),
    ],
)
def test_what_no_person_can_act_in_is_refused(
    trainer: ApiClient, fields: dict[str, Any], status: int, code: str
) -> None:
    run = factories.run(**fields.pop("run", {}))
    episode = factories.episode(run=run, **fields)
    assert take(trainer, episode, status=status)["error"]["code"] == code
    assert not Episode.objects.get(pk=episode.pk).is_taken_over


def test_an_ended_episode_is_taken_over_as_a_fork(trainer: ApiClient) -> None:
    parent = factories.episode(max_steps=9)
    Gold.objects.filter(task=parent.task).update(created_at=F("created_at") - timedelta(days=1))
    for index in range(1, 5):
        fields = {"observation_kind": "axtree-v2", "observation_text": f"{index}", "action_result": "ok"}
        more = {"element_ids": f"k{index}"}
        action = {"type": "type", "target": f"e{index}", "text": "x"}
        url = f"https://gym/search?page={index}"
        factories.step(parent, index, action=action, more=more, url=url, **fields)
    for seq, (step, path) in enumerate([(None, ""), (1, "search"), (3, "help")], start=1):
        SiteEvent.objects.create(episode=parent, seq=seq, step=step, kind="page_served", data={"path": path})
    factories.verdict(parent, "incorrect")
    assert take(trainer, parent, status=409)["error"]["code"] == "episode_final"
    status, answer = trainer.json("POST", f"/episodes/{parent.pk}/fork", {"step": 2})
    assert status == 201, answer
    fork = Episode.objects.get(pk=answer["episodes"][0]["id"])
    assert take(trainer, fork)["begins_after"] == 2
    lease = Takeover.objects.get()
    assert (lease.entry, lease.as_of, lease.element_ids) == ("search?page=2", 2, "k1 k2 k3")
    act = {"type": "type", "target": "e2", "text": "x"}
    assert lease.acts == [{"address": "search?page=2", "as_of": 2, "acts": [act]}]
    assert lease.expected == "3"
    # It was restored by now, and nothing was done in it: the next one begins there too.
    hand_back(trainer, fork)
    take(trainer, fork)
    again = Takeover.objects.latest("pk")
    assert (again.entry, again.as_of, again.acts) == (lease.entry, lease.as_of, lease.acts)
    hand_back(trainer, fork)
    assert post_steps(trainer, fork, 3)[0] == 200
    Step.objects.filter(episode=parent).delete()
    assert take(trainer, fork)["begins_after"] == 3
    assert Takeover.objects.latest("pk").as_of is None


def test_neither_token_opens_what_the_other_does() -> None:
    assert person_token_open(token=token_make(episode_id=7, key=KEY), key=KEY) is None
    assert token_open(token=person_token_make(takeover_id=7, key=KEY), key=KEY) is None
    assert person_token_open(token=person_token_make(takeover_id=7, key=KEY), key=KEY) == 7


@pytest.mark.parametrize(
    ("fields", "holds"),
    [
        ({}, True),
        ({"last_at": Now() - timedelta(days=1)}, False),
        ({"ended_at": Now(), "ended_as": "handed_back"}, False),
        ({"ended_at": Now(), "ended_as": "idle"}, False),
        ({"ended_at": Now(), "ended_as": "given_up"}, True),
        ({"ended_at": Now(), "ended_as": "diverged"}, True),
        ({"ended_at": Now(), "ended_as": "given_up", "last_at": Now() - timedelta(days=1)}, True),
    ],
)
def test_the_lab_and_the_hot_sql_agree_on_who_is_held(fields: dict[str, Any], holds: bool) -> None:
    episode = factories.episode(is_taken_over=True)
    Takeover.objects.create(
        episode=episode, person="Ada", grammar="json", segment="recovery", begins_after=0, last_index=0
    )
    Takeover.objects.filter(episode=episode).update(**fields)
    with connection.cursor() as cursor:
        query = f"SELECT {IS_TAKEN} FROM trajectories_episode e WHERE e.id = %(episode)s"
        cursor.execute(query, {"episode": episode.pk, "idle": settings.TAKEOVER_IDLE_S})
        assert cursor.fetchone() == (holds,)
    assert episodes.taken(episode.pk).exists() == holds
