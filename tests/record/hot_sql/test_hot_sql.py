from __future__ import annotations

from typing import Any

import pytest

from tests import factories
from trajectories.models import Episode, Step, Submission, Verdict, VerdictCounter, VerdictEvidence
from trajectories.models.access import DEFAULT_PROJECT
from trajectories.record import hot_sql

pytestmark = pytest.mark.django_db


def _step(index: int, **fields: Any) -> dict[str, Any]:
    blank = dict.fromkeys(
        [
            "thought",
            "raw",
            "action_type",
            "action_result",
            "parse_error",
            "observation_kind",
            "observation_text",
        ],
        "",
    )
    more = dict.fromkeys(["observation_sha256", "screenshot", "url"], "")
    values = {
        **blank,
        **more,
        "index": index,
        "action_known": True,
        "actor": "policy",
        "more": {},
        "hash": "00" * 16,
    }
    return {**values, **fields}


def _write(episode_id: int, *steps: dict[str, Any], **options: Any) -> hot_sql.StepsWritten | None:
    return hot_sql.steps_write(
        episode_id=episode_id, steps=steps, grace_s=600.0, **{"project": DEFAULT_PROJECT, **options}
    )


def test_steps_are_written_with_one_statement(django_assert_num_queries: Any) -> None:
    episode = factories.episode()
    with django_assert_num_queries(1):
        done = _write(episode.pk, *[_step(index) for index in range(1, 33)])
    assert done is not None
    assert (done.written, done.duplicates, done.highest) == (32, 0, 32)
    assert Step.objects.filter(episode=episode).count() == 32


def test_a_clash_stores_nothing_of_its_call() -> None:
    episode = factories.episode()
    _write(episode.pk, _step(1))
    done = _write(episode.pk, _step(1, hash="ff" * 16), _step(2))
    assert done is not None
    assert (done.written, done.clashes) == (0, [1])
    assert Step.objects.filter(episode=episode).count() == 1


def test_a_key_limited_to_splits_writes_no_step_elsewhere() -> None:
    episode = factories.episode()
    done = _write(episode.pk, _step(1), splits=["test"])
    assert done is not None
    assert (done.written, done.split) == (0, "train")


def test_no_episode_no_steps() -> None:
    assert _write(999_999_999, _step(1)) is None


def test_a_submission_is_written_once() -> None:
    episode = factories.episode()
    assert hot_sql.submission_write(episode_id=episode.pk, answer="1", channel="page")
    assert not hot_sql.submission_write(episode_id=episode.pk, answer="2", channel="page")
    assert Submission.objects.get(episode=episode).answer == "1"
    episode.refresh_from_db()
    assert episode.status == Episode.Status.SUBMITTED


def test_a_claim_is_taken_once_and_carries_the_gold() -> None:
    episode = factories.episode()
    factories.submission(episode, ["a", "b"])
    claim = hot_sql.submission_claim(episode_id=episode.pk, claims_max=3, lost_s=45.0)
    assert claim is not None
    assert (claim.answer, claim.gold_answer, claim.gold_extra) == (["a", "b"], "42", {})
    assert hot_sql.submission_claim(episode_id=episode.pk, claims_max=3, lost_s=45.0) is None


def test_a_lost_claim_is_taken_again_three_times_in_all() -> None:
    episode = factories.episode()
    factories.submission(episode)
    taken = [hot_sql.submission_claim(episode_id=episode.pk, claims_max=3, lost_s=-1.0) for _ in range(5)]
    assert [claim is not None for claim in taken] == [True, True, True, False, False]


def test_endings_are_numbered_without_holes_and_written_once() -> None:
    run = factories.run()
    episodes = [factories.episode(run=run) for _ in range(3)]
    endings = [
        hot_sql.Ending(
            episode=episode.pk, outcome="incorrect", reason="no_submission", evidence={"why": "stopped"}
        )
        for episode in episodes
    ]
    assert len(hot_sql.finish_many(run_id=run.pk, endings=endings)) == 3
    assert hot_sql.finish_many(run_id=run.pk, endings=endings) == []
    assert list(Verdict.objects.order_by("id").values_list("run_seq", "reward")) == [
        (1, 0.0),
        (2, 0.0),
        (3, 0.0),
    ]
    assert VerdictCounter.objects.get(run=run).count == 3
    assert VerdictEvidence.objects.count() == 3


def test_a_waiting_submission_is_not_ended_by_a_closing() -> None:
    episode = factories.episode()
    factories.submission(episode)
    ending = hot_sql.Ending(episode=episode.pk, outcome="incorrect", reason="no_submission")
    assert hot_sql.finish_many(run_id=episode.run_id, endings=[ending]) == []
    assert not Verdict.objects.exists()


def test_states_are_the_records_of_the_api() -> None:
    episode = factories.episode()
    _write(episode.pk, _step(2), _step(4))
    factories.verdict(episode, "void", "harness_error")
    record = hot_sql.episode_states([episode.pk])[episode.pk]
    assert (record["steps_used"], record["status"], record["terminated"]) == (4, "finished", False)
    assert record["verdict"]["reward"] is None
    assert record["verdict"]["verifier"] is None
