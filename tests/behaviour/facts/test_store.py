from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from core.work import queues
from core.work import sweep as sweeps
from core.work.sweep import BEGINNING, Place
from tests import factories
from trajectories.behaviour.facts import jobs, store
from trajectories.behaviour.facts.behaviour import VERSION
from trajectories.behaviour.facts.compute import acts_of, facts_of
from trajectories.behaviour.facts.source import sources_read
from trajectories.behaviour.facts.types import ActFact
from trajectories.models import Episode, EpisodeFacts, PageEvent, PageEventTally, Step, StepFacts
from trajectories.record.chores import walks
from trajectories.record.chores.walks import COMMIT_S

pytestmark = pytest.mark.django_db

PAGE = 'page "Problem" https://gym/\n[e2] textbox "Your answer" value=""\n[e3] button "Submit"\n'


def _step(of: Episode, index: int, **fields: Any) -> Step:
    action = fields.get("action", {"type": "click", "target": "e3"})
    values = {
        "action": action,
        "action_type": action["type"] if action else "",
        "action_result": "ok",
        "observation_kind": "axtree-v2",
        "observation_text": PAGE,
        "url": "https://gym/",
        "started_at": timezone.now(),
        "duration_ms": 1000.0,
        **fields,
    }
    return factories.step(of, index, **values)


def _ended(seconds_ago: float = 60) -> Episode:
    """Two steps: one typed as declared, one clicked on nothing; the answer was submitted in the second."""
    episode = factories.episode()
    _step(
        episode,
        1,
        thought="I type 1/11 = 10/11 into the field.",
        action={"type": "type", "target": "e2", "text": "10/11"},
    )
    _step(episode, 2, thought="Let me verify: 10/11 it is. I click Submit.")
    typed = {"role": "textbox", "name": "Your answer", "value": "10/11"}
    PageEvent.objects.create(episode=episode, page="p1", seq=1, step=1, kind="input", at_ms=5, data=typed)
    factories.submission(episode, "10/11")
    factories.verdict(episode)
    ended = timezone.now() - timedelta(seconds=seconds_ago)
    factories.end_move(episode, at=ended)
    episode.refresh_from_db()
    return episode


def _due() -> list[int]:
    rows = store.episodes_after(Place(BEGINNING, 0), store.SETTLE_S)
    return [row.key for row in rows if row.is_due]


def _facts() -> tuple[list[dict[str, Any]], dict[str, Any]]:
    of_episode = EpisodeFacts.objects.values().get()
    of_episode.pop("computed_at")
    return list(StepFacts.objects.order_by("index").values()), of_episode


def test_facts_are_stored_for_each_step_and_for_the_episode() -> None:
    episode = _ended()
    assert store.facts_compute([episode.pk]) == 2
    first, second = StepFacts.objects.filter(episode=episode).order_by("index")
    assert (first.action_check, second.action_check) == ("confirmed", "no_effect")
    assert second.action_check_detail == "no page recorded a click: it hit nothing"
    assert (first.formulas, first.numbers, second.checks_before_submit) == (1, 4, True)
    facts = EpisodeFacts.objects.get(episode=episode)
    assert (facts.steps, facts.duration_ms, facts.version) == (2, 2000.0, VERSION)
    assert facts.action_types == {"type": 1, "click": 1}
    assert (facts.confirmed, facts.no_effect, facts.different_effect, facts.unexplained) == (1, 1, 0, 0)
    assert facts.checks == 1


def test_acts_computed_alone_are_those_of_all_facts() -> None:
    episode = _ended()
    _step(episode, 3)
    (source,) = sources_read([episode.pk])
    assert acts_of(source) == {
        step.index: ActFact(
            check=step.check.kind, repeats=step.measures["repeats"], place=step.measures["place"]
        )
        for step in facts_of(source).steps
    }
    assert [act.repeats for act in acts_of(source).values()] == [None, None, 2]


def test_thoughts_are_searchable_by_their_words() -> None:
    store.facts_compute([_ended().pk])
    rows = StepFacts.objects.extra(where=["words @@ websearch_to_tsquery('simple', '\"10 11\" verify')"])
    assert [row.index for row in rows] == [2]


def test_computing_twice_changes_nothing() -> None:
    episode = _ended()
    store.facts_compute([episode.pk])
    before = _facts()
    store.facts_compute([episode.pk])
    assert _facts() == before


def test_an_episode_without_steps_has_facts_without_means() -> None:
    episode = factories.episode()
    factories.verdict(episode, "void", "expired_unused")
    store.facts_compute([episode.pk])
    facts = EpisodeFacts.objects.get(episode=episode)
    assert (facts.steps, facts.restates, facts.thought_chars) == (0, None, None)


def test_a_missing_episode_is_skipped() -> None:
    assert store.facts_compute([2**40]) == 0


def test_ended_episodes_without_facts_are_due_once_they_have_settled() -> None:
    settled, fresh, opened = _ended(), _ended(seconds_ago=1), factories.episode()
    assert _due() == [settled.pk]
    assert opened.pk not in _due()
    store.facts_compute([settled.pk, fresh.pk])
    assert _due() == []


def test_a_late_step_makes_an_episode_due_again() -> None:
    episode = _ended()
    store.facts_compute([episode.pk])
    _step(episode, 3, created_at=timezone.now() + timedelta(seconds=1))
    assert _due() == [episode.pk]
    store.facts_compute([episode.pk])
    assert StepFacts.objects.filter(episode=episode).count() == 3
    assert _due() == []


def test_late_page_events_make_an_episode_due_again() -> None:
    episode = _ended()
    store.facts_compute([episode.pk])
    PageEventTally.objects.create(episode=episode, events=1, last_at=timezone.now() + timedelta(seconds=1))
    assert _due() == [episode.pk]
    store.facts_compute([episode.pk])
    assert _due() == []


def test_facts_of_another_version_are_due_again() -> None:
    episode = _ended()
    store.facts_compute([episode.pk])
    EpisodeFacts.objects.update(version=VERSION - 1)
    assert _due() == [episode.pk]


def test_one_statement_reads_an_episode_and_one_writes_it(django_assert_num_queries: Any) -> None:
    episode = _ended()
    with django_assert_num_queries(2):
        store.facts_compute([episode.pk])


def test_workers_write_facts_the_lab_reads_them_and_the_arena_does_neither(
    as_role: Callable[[str], AbstractContextManager[None]],
) -> None:
    episode = _ended()
    with as_role("gym_worker"):
        assert _due() == [episode.pk]
        jobs.episodes(episode_ids=[episode.pk])
        assert _due() == []
    with as_role("gym_lab"):
        assert StepFacts.objects.count() == 2
    with connection.cursor() as cursor:
        cursor.execute("SELECT has_table_privilege('gym_arena', 'trajectories_stepfacts', 'SELECT')")
        assert cursor.fetchone() == (False,)


def test_one_failing_episode_does_not_block_the_facts_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    bad, good = _ended(), _ended()
    whole = store.facts_of

    def failing(source: Any) -> Any:
        if source.episode == bad.pk:
            raise ValueError("a thought nobody thought of")
        return whole(source)

    monkeypatch.setattr(store, "facts_of", failing)
    jobs.episodes(episode_ids=[bad.pk, good.pk])
    assert list(EpisodeFacts.objects.values_list("pk", flat=True)) == [good.pk]


class _Queue:
    """Accepts what is sent; ``held`` is the length that it reports."""

    def __init__(self) -> None:
        self.held = 0
        self.sent: list[list[int]] = []

    def length(self, queue: queues.Queue) -> int:
        assert queue is queues.FACTS
        return self.held

    def apply_async(self, *, kwargs: dict[str, list[int]], queue: str, retry: bool, headers: object) -> None:
        assert queue == queues.FACTS.id
        assert not retry
        self.sent.append(kwargs["episode_ids"])


@pytest.fixture
def queue(monkeypatch: pytest.MonkeyPatch) -> _Queue:
    made = _Queue()
    monkeypatch.setattr(sweeps, "queue_length", made.length)
    monkeypatch.setattr(jobs.episodes, "apply_async", made.apply_async)
    return made


def test_the_sweeper_sends_due_episodes_once(queue: _Queue) -> None:
    episode = _ended(seconds_ago=3600)
    sweep = jobs.facts_sweep()
    assert sweep() == 1
    assert queue.sent == [[episode.pk]]
    store.facts_compute([episode.pk])
    assert sweep() == 0


def test_the_sweeper_gives_up_an_episode_that_never_gets_its_facts(
    queue: _Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walks, "TRIES", 3)
    bad = _ended(seconds_ago=3600)
    sweep = jobs.facts_sweep()
    assert [sweep() for _ in range(5)] == [1, 1, 1, 0, 0]
    good = _ended()
    sweep()
    assert queue.sent == [[bad.pk]] * 3 + [[good.pk]]


def test_the_sweeper_sends_nothing_into_a_queue_that_is_not_empty(queue: _Queue) -> None:
    _ended()
    queue.held = 1
    assert jobs.facts_sweep()() == 0


def test_a_late_step_is_noticed_once_no_more_can_come(queue: _Queue, settings: Any) -> None:
    episode = _ended(seconds_ago=300)
    sweep = jobs.facts_sweep()
    sweep()
    store.facts_compute([episode.pk])
    assert sweep() == 0
    _step(episode, 3, created_at=timezone.now() + timedelta(seconds=1))
    assert sweep() == 0
    settled = timezone.now() - timedelta(seconds=settings.STEP_GRACE_S + COMMIT_S + 1)
    factories.end_move(episode, at=settled)
    assert sweep() == 1


def _reads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Collects how many rows each statement of a sweep read."""
    reads: list[int] = []
    read = store.episodes_after

    def counted(place: Any, age_s: float) -> Any:
        rows = read(place, age_s)
        reads.append(len(rows))
        return rows

    monkeypatch.setattr(store, "episodes_after", counted)
    return reads


def test_a_restarted_sweeper_does_not_read_what_is_done_again(
    queue: _Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = [_ended(seconds_ago=86_400 - second).pk for second in range(3)]
    store.facts_compute(old)
    jobs.facts_sweep()()
    reads = _reads(monkeypatch)
    assert jobs.facts_sweep()() == 0
    assert sum(reads) == 1  # the last: others may have ended at the same moment


def test_a_sweep_reads_a_long_history_page_by_page(queue: _Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "PAGE", 2)
    monkeypatch.setattr(sweeps, "PAGE", 2)
    old = [_ended(seconds_ago=86_400 - second).pk for second in range(5)]
    store.facts_compute(old[:4])
    reads = _reads(monkeypatch)
    assert jobs.facts_sweep()() == 1
    assert queue.sent == [[old[4]]]
    assert max(reads) == 2


def test_a_new_version_goes_through_all_history_once_and_over_restarts(
    queue: _Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = [_ended(seconds_ago=86_400 - second).pk for second in range(3)]
    store.facts_compute(old)
    jobs.facts_sweep()()
    for module in (jobs, store):
        monkeypatch.setattr(module, "VERSION", VERSION + 1)
    assert jobs.facts_sweep()() == 3
    store.facts_compute(old[:2])
    assert jobs.facts_sweep()() == 1
    store.facts_compute(old[2:])
    assert jobs.facts_sweep()() == 0
    reads = _reads(monkeypatch)
    assert jobs.facts_sweep()() == 0
    assert sum(reads) == 1
    assert queue.sent == [old, old[2:]]


def test_the_command_computes_what_is_due_or_everything_with_all(capsys: pytest.CaptureFixture[str]) -> None:
    episode, _other = _ended(), _ended()
    call_command("compute_facts", run=episode.run_id)
    assert list(EpisodeFacts.objects.values_list("pk", flat=True)) == [episode.pk]
    call_command("compute_facts")
    call_command("compute_facts")
    call_command("compute_facts", "--all")
    assert capsys.readouterr().out.splitlines() == [
        "Facts computed for 1 episodes with 2 steps.",
        "Facts computed for 1 episodes with 2 steps.",
        "Facts computed for 0 episodes with 0 steps.",
        "Facts computed for 2 episodes with 4 steps.",
    ]


def test_a_hidden_thought_is_left_out_of_measures_of_thoughts_and_counted_apart() -> None:
    episode = factories.episode()
    _step(episode, 1, thought="I check 2 + 2 = 4.")
    _step(episode, 2, thought="Clicking.", more={"thought_hidden": True})
    _step(episode, 3, thought="")
    store.facts_compute([episode.pk])

    _, hidden, wordless = StepFacts.objects.filter(episode=episode).order_by("index")
    assert (hidden.is_thought_hidden, wordless.is_thought_hidden) == (True, False)
    assert {hidden.thought_words, hidden.thought_chars, hidden.numbers, hidden.formulas} == {None}
    assert hidden.restates is hidden.checks_before_submit is None
    assert (wordless.thought_words, wordless.checks_before_submit) == (0, False)
    facts = EpisodeFacts.objects.get(episode=episode)
    assert (facts.steps, facts.hidden_thoughts, facts.checks) == (3, 1, 1)
    assert (facts.thought_words, facts.thought_chars, facts.numbers) == (1.0, 9.0, 1.5)


def test_an_episode_whose_thoughts_are_all_hidden_has_no_measures_of_thoughts() -> None:
    episode = factories.episode()
    for index in (1, 2):
        _step(episode, index, more={"thought_hidden": True})
    store.facts_compute([episode.pk])
    facts = EpisodeFacts.objects.get(episode=episode)
    assert facts.hidden_thoughts == 2
    assert {facts.thought_words, facts.thought_chars, facts.restates, facts.checks} == {None}


def test_actions_that_the_harness_could_not_read_are_counted() -> None:
    episode = factories.episode()
    for index, result in enumerate(("ok", "invalid", "invalid", "refused"), 1):
        _step(episode, index, action_result=result)
    store.facts_compute([episode.pk])

    steps = StepFacts.objects.filter(episode=episode).order_by("index")
    assert [step.is_invalid for step in steps] == [False, True, True, False]
    assert EpisodeFacts.objects.get(episode=episode).invalid_actions == 2
