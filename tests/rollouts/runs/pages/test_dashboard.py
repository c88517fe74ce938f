"""The dashboard of a run: correct, and cheap however long the run."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import fields
from datetime import timedelta
from html import unescape
from threading import Thread
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from core.statistics import Clusters, Rate, rate_of
from tests import factories
from tests.lab.test_pages import Lab
from trajectories.models import Episode, PolicyVersion, Run, Step, Verdict, VerdictCounter
from trajectories.record import hot_sql
from trajectories.rollouts.runs.pages import dashboard, dashboard_selectors
from trajectories.rollouts.runs.pages.dashboard import run_dashboard
from trajectories.shell.queries import runs

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(db: None) -> Run:
    return factories.run()


@pytest.fixture
def unremembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every request refreshes the dashboard."""
    monkeypatch.setattr(dashboard, "FRESH_S", 0.0)
    monkeypatch.setattr(dashboard, "REST_TIMES", 0.0)


def many(run: Run, number: int, *, status: str = "open", tasks: int = 1, **fields: Any) -> list[Episode]:
    """Episodes made by few statements, those that are finished with verdicts in the run's stream."""
    first = factories.episode(run=run, task=factories.task())
    chosen = [first.task, *(factories.task() for _ in range(tasks - 1))]
    named = [f.attname for f in Episode._meta.concrete_fields if f.attname not in ("id", "sample_index")]
    common = {name: getattr(first, name) for name in named} | fields
    first.delete()
    groups = [factories.group(run=run, task=first.task, size=10) for _ in range(0, number, 10)]
    ids = [{"task_id": chosen[i % tasks].pk, "group_id": groups[i // 10].pk} for i in range(number)]
    rows = [Episode(**common | ids[i], sample_index=i % 10) for i in range(number)]
    made = Episode.objects.bulk_create(rows, batch_size=5_000)
    if status == "finished":
        _finish(run, made)
    return made


def _finish(run: Run, episodes: list[Episode]) -> None:
    before = VerdictCounter.objects.get(run=run).count
    judged = [
        Verdict(
            episode=one,
            run=run,
            run_seq=before + place,
            outcome="correct" if place % 2 else "incorrect",
            reward=float(place % 2),
            reason="answer",
            terminated=True,
            truncated=False,
        )
        for place, one in enumerate(episodes, 1)
    ]
    Verdict.objects.bulk_create(judged, batch_size=5_000)
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE trajectories_episode e SET status = 'finished', finished_at = now(), verdict_id = v.id"
            " FROM trajectories_verdict v"
            " WHERE v.episode_id = e.id AND e.run_id = %s AND e.verdict_id IS NULL",
            [run.pk],
        )
    VerdictCounter.objects.filter(run=run).update(count=before + len(episodes))
    hot_sql.sums_rebuild(run_id=run.pk)


def test_a_dashboard_counts_what_is_open_judged_and_void_by_reason(run: Run, unremembered: None) -> None:
    task = factories.task()
    made = [factories.episode(run=run, task=task) for _ in range(7)]
    Episode.objects.filter(pk=made[1].pk).update(status="submitted")
    for one, outcome, reason in zip(
        made[2:],
        ("correct", "incorrect", "void", "void", "void"),
        ("answer", "step_budget", "lease_lost", "cancelled", "lease_lost"),
        strict=True,
    ):
        factories.verdict(one, outcome, reason)
    state = run_dashboard(run.pk)
    assert (state.open, state.submitted, state.judged, state.void) == (1, 1, 2, 3)
    whole = runs.tallies_by_run([run.pk])[run.pk]
    assert (whole.open, whole.submitted, whole.judged, whole.void) == (1, 1, 2, 3)
    assert (state.correct, state.incorrect) == (1, 1)
    assert state.void_reasons == [("lease_lost", 2), ("cancelled", 1)]
    assert state.verdicts_per_minute == 1.0
    assert state.is_active


def test_rates_are_of_tasks_and_not_of_episodes(run: Run, unremembered: None) -> None:
    many(run, 12, status="finished", tasks=3, policy_version=1)
    many(run, 10, status="finished", tasks=2, policy_version=1)
    state = run_dashboard(run.pk)
    whole = runs.tallies_by_run([run.pk])[run.pk]
    assert (state.correct, state.incorrect) == (whole.correct, whole.incorrect) == (11, 11)
    assert state.arms == {"gym": whole}
    assert state.plot is not None
    assert whole.rate is not None
    assert state.plot.rates[-1][1] == whole.rate
    assert (whole.rate.correct, whole.rate.judged, whole.rate.tasks) == (11, 22, 5)
    assert whole.rate == _rate_by_hand(run)


def _rate_by_hand(run: Run, **filters: Any) -> Rate | None:
    """The rate of a run's unguided judged episodes, counted one by one."""
    unguided = Episode.objects.filter(run=run, is_plain=True, **filters)
    tasks: dict[int, list[float]] = {}
    for task, reward in unguided.exclude(verdict__reward=None).values_list("task_id", "verdict__reward"):
        tasks.setdefault(task, []).append(reward)
    pairs = [(int(sum(rewards)), len(rewards)) for rewards in tasks.values()]
    sums = [sum(column) for column in zip(*((1, k, n, k * k, k * n, n * n) for k, n in pairs), strict=True)]
    return rate_of(Clusters(**dict(zip((one.name for one in fields(Clusters)), sums, strict=True))))


def test_counts_by_arm_are_of_all_its_episodes(run: Run, unremembered: None) -> None:
    many(run, 5, status="finished", tasks=2, arm="gym")
    many(run, 3, arm="text_agent", guidance={"kind": "hint"})
    many(run, 2, status="finished", arm="gym", guidance={"kind": "hint"})
    for reason in ("cancelled", "lease_lost"):
        factories.verdict(factories.episode(run=run, arm="gym"), "void", reason)
    Episode.objects.filter(pk=factories.episode(run=run, arm="gym").pk).update(status="submitted")
    state = run_dashboard(run.pk)
    assert state.arms == {
        "gym": runs.Tally(
            episodes=10,
            submitted=1,
            correct=4,
            incorrect=3,
            void=2,
            void_ours=1,
            set_apart=2,
            rate=_rate_by_hand(run, arm="gym"),
        ),
        "text_agent": runs.Tally(episodes=3, open=3, set_apart=3),
    }
    assert list(state.arms) == ["gym", "text_agent"]
    assert (state.open, state.submitted) == (3, 1)


def test_tables_of_a_page_agree(lab: Lab, owner: User, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page is drawn from one refresh, also when an episode ends between two refreshes."""
    monkeypatch.setattr(dashboard, "CHEAP_S", float("inf"))  # on a busy machine tables may be slow
    made = [factories.episode(run=run, arm="gym") for _ in range(3)]
    client = lab(owner)
    first = _words(client.get(f"/runs/{run.pk}/").content.decode())
    assert first.count("open") == 4
    dashboard._entries[run.pk].until = float("inf")
    factories.verdict(made[0], "incorrect", "step_budget")
    assert _words(client.get(f"/runs/{run.pk}/").content.decode()) == first
    dashboard._entries[run.pk].until = 0.0
    text = _words(client.get(f"/runs/{run.pk}/live").content.decode())
    assert "Open 2 Awaiting" in text
    assert re.search(r" Page .{0,60} 1 incorrect 2 open ", text), text
    assert "End reasons incorrect Out of steps 1" in text
    assert text.count("open") == 3


@pytest.mark.django_db(transaction=True)
def test_an_episode_that_ends_during_a_refresh_is_counted_once(
    unremembered: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = factories.episode(arm="gym")
    real = dashboard_selectors.position_of

    def early(run_id: int) -> dashboard_selectors.Position:
        position = real(run_id)
        _elsewhere(lambda: factories.verdict(made))
        return position

    with monkeypatch.context() as slowed:
        slowed.setattr(dashboard_selectors, "position_of", early)
        board = run_dashboard(made.run_id)
    assert (board.open, board.correct, board.arms["gym"].episodes) == (1, 0, 1)
    assert [one.status for one in board.page.episodes] == ["open"]
    after = run_dashboard(made.run_id)
    assert (after.open, after.correct, after.arms["gym"].episodes) == (0, 1, 1)
    assert [one.status for one in after.page.episodes] == ["finished"]


def _elsewhere(does: Callable[[], None]) -> None:
    """Run on a separate connection, like another process."""

    def ends_its_connection() -> None:
        does()
        connection.close()

    thread = Thread(target=ends_its_connection)
    thread.start()
    thread.join()


@pytest.mark.parametrize("change", ["step", "opened", "version"])
def test_every_change_shown_on_a_runs_page_is_news(run: Run, unremembered: None, change: str) -> None:
    episode = factories.episode(run=run)
    Step.objects.filter(pk=factories.step(episode, 1).pk).update(
        created_at=timezone.now() - timedelta(hours=1)
    )
    seen = run_dashboard(run.pk).fingerprint
    assert run_dashboard(run.pk).fingerprint == seen
    if change == "step":
        old = factories.step(episode, 2)
        Step.objects.filter(pk=old.pk).update(created_at=timezone.now() - timedelta(hours=1))
    elif change == "opened":
        factories.episode(run=run)
    else:
        PolicyVersion.objects.create(run=run, version=7)
    assert run_dashboard(run.pk).fingerprint != seen


def _words(html: str) -> str:
    main = html[html.index('id="run-news"') :].partition("</main>")[0]
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", main)))


def test_rejudged_episodes_are_counted_again(run: Run, unremembered: None) -> None:
    (episode,) = many(run, 1, status="finished", policy_version=3)
    assert (run_dashboard(run.pk).correct, run_dashboard(run.pk).incorrect) == (1, 0)
    again = Verdict.objects.create(
        episode=episode,
        run=run,
        outcome="incorrect",
        reward=0.0,
        reason="answer",
        terminated=True,
        truncated=False,
        verifier="numeric-v2",
    )
    hot_sql.verdict_replace(run_id=run.pk, episode_id=episode.pk, verdict_id=again.pk)
    assert (run_dashboard(run.pk).correct, run_dashboard(run.pk).incorrect) == (0, 1)


def test_guided_episodes_are_counted_but_not_rated(run: Run, unremembered: None) -> None:
    many(run, 4, status="finished", policy_version=1, guidance={"kind": "hint"})
    state = run_dashboard(run.pk)
    assert (state.judged, state.arms["gym"].set_apart, state.plot) == (4, 4, None)


def test_steps_of_the_last_minute_are_counted(run: Run, unremembered: None) -> None:
    stepping, quiet, done = (factories.episode(run=run) for _ in range(3))
    for index in range(1, 31):
        factories.step(stepping, index)
    for index in range(1, 31):
        factories.step(done, index)
    factories.verdict(done)
    factories.step(quiet, 1)
    Step.objects.filter(episode=quiet).update(created_at=timezone.now() - timedelta(minutes=2))
    factories.step(factories.episode(), 1)
    state = run_dashboard(run.pk)
    assert (state.step_pace.steps_per_s, state.step_pace.is_estimate) == (1.0, False)


def test_steps_of_many_episodes_are_estimated_from_a_sample(
    run: Run, unremembered: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dashboard_selectors, "EPISODES_SAMPLED", 5)
    for episode in many(run, 20):
        for index in (1, 2, 3):
            factories.step(episode, index)
    for episode in many(run, 10, status="finished"):
        factories.step(episode, 1)
    state = run_dashboard(run.pk).step_pace
    assert (state.steps, state.sampled, state.episodes) == (70.0, 10, 30)
    assert state.is_estimate


def test_readers_within_the_refresh_interval_share_one_refresh(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dashboard, "FRESH_S", 3600.0)
    first = run_dashboard(run.pk)
    with CaptureQueriesContext(connection) as queries:
        assert run_dashboard(run.pk) is first
    assert len(queries) == 0


def test_refreshing_a_long_run_takes_few_statements_and_reads_few_rows(run: Run, unremembered: None) -> None:
    many(run, 1_500, status="finished", tasks=5, policy_version=1)
    open_ones = many(run, 20)
    factories.step(open_ones[0], 1)
    with connection.cursor() as cursor:
        # A table of this size may as well be read whole: what matters is that an index could serve.
        cursor.execute("ANALYZE; SET LOCAL enable_seqscan = off")
    run_dashboard(run.pk)
    dashboard._entries[run.pk].tables_until = float("inf")  # what counts all rests
    many(run, 10, status="finished", policy_version=2)
    with CaptureQueriesContext(connection) as queries:
        run_dashboard(run.pk)
    assert len(queries) == 7
    rows = sum(_rows_read(query["sql"]) for query in queries)
    assert rows < 700


def _rows_read(statement: str) -> int:
    """The number of rows that the scans of a statement read, including those filtered out."""
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {statement}")
        (explained,) = cursor.fetchone()
    plan = json.loads(explained) if isinstance(explained, str) else explained
    return _scanned(plan[0]["Plan"])


def _scanned(node: dict[str, Any]) -> int:
    read = 0
    if "Scan" in node["Node Type"] and "Relation Name" in node:
        thrown = node.get("Rows Removed by Filter", 0) + node.get("Rows Removed by Index Recheck", 0)
        read = (node["Actual Rows"] + thrown) * node["Actual Loops"]
    return int(read) + sum(_scanned(child) for child in node.get("Plans", []))


def test_tables_over_a_whole_long_run_are_refreshed_separately(
    run: Run, unremembered: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dashboard, "CHEAP_S", 0.0)
    monkeypatch.setattr(dashboard, "REST_TIMES", float("inf"))
    many(run, 2, status="finished")
    first = run_dashboard(run.pk).tables
    many(run, 2, status="finished")
    dashboard._entries[run.pk].until = 0.0
    second = run_dashboard(run.pk)
    assert (second.judged, second.tables is first) == (4, True)


def test_slow_tables_do_not_delay_the_counts(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dashboard, "FRESH_S", 0.0)
    entry = dashboard._entry(run.pk)
    counts: list[int] = []
    clock = [1.0]
    monkeypatch.setattr(dashboard, "monotonic", lambda: clock[0])

    def slow(*, run_id: int) -> list[Any]:
        clock[0] += 1.0
        if entry.dashboard is not None:
            assert not entry.lock.locked()
            many(run, 2, status="finished")
            counts.append(run_dashboard(run_id).judged)
        return []

    monkeypatch.setattr("trajectories.rollouts.runs.pages.dashboard.paired_tallies", slow)
    many(run, 2, status="finished")
    first = run_dashboard(run.pk)
    assert (entry.until, entry.tables_until) == (2.0, 2.0 + dashboard.REST_TIMES)
    clock[0] = entry.tables_until
    later = run_dashboard(run.pk)
    assert (counts, later.judged) == ([4], 4)
    assert later.tables is not first.tables


def test_the_runs_page_shows_the_plot_with_words_and_a_table(
    lab: Lab, owner: User, run: Run, unremembered: None
) -> None:
    for version in (1, 2):
        many(run, 4, status="finished", policy_version=version)
    client = lab(owner)
    html = client.get(f"/runs/{run.pk}/").content.decode()
    assert f'data-live="ws://testserver:8002/ws/runs/{run.pk}/pulse/"' in html
    assert "<desc" in html
    assert "From 0.50 at version 1" in re.sub(r"\s+", " ", html)
    assert "Show as table" in html
    again = re.search(r'hx-get="(/runs/[^"]+)"', html)
    assert again
    assert client.get(unescape(again[1])).status_code == 204
    factories.episode(run=run)
    assert client.get(unescape(again[1])).status_code == 200


def test_a_stranger_sees_no_dashboard(lab: Lab, run: Run) -> None:
    response = lab(None).get(f"/runs/{run.pk}/live")
    assert (response.status_code, response.headers["Location"].startswith("/login/")) == (302, True)
