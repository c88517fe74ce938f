from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pytest
from django.db import connection

from tests import factories
from trajectories.behaviour.facts import store
from trajectories.lab.search import selectors as selector
from trajectories.lab.search.selectors import Cursor, Search, search_counts, search_episode_ids, search_page
from trajectories.models import Episode, EpisodeFacts, PageEvent
from trajectories.shell.text.excerpts import excerpt, excerpt_html

pytestmark = pytest.mark.django_db
CLICK = {"type": "click", "target": "e3"}


def episode_thought(
    *thoughts: str,
    outcome: str = "correct",
    reason: str = "answer",
    action: str = "click",
    ms: float = 100.0,
    run: Any = None,
    group: Any = None,
    **fields: Any,
) -> Episode:
    """A finished episode with one thought per step and computed facts."""
    more = {"run": run} if run else {}
    group = group or factories.group(arm=fields.pop("arm", "gym"), **more)
    episode = factories.episode(group=group, **fields)
    act = {"type": action, "target": "e3"}
    for index, thought in enumerate(thoughts, start=1):
        factories.step(episode, index, thought=thought, action=act, action_type=action, duration_ms=ms)
    factories.verdict(episode, outcome, reason)
    store.facts_compute([episode.pk])
    return episode


def _hits(query: str = "", **filters: Any) -> list[tuple[int, int | None]]:
    page = search_page(Search(query=query, filters=filters))
    return [(hit.episode.pk, hit.index) for hit in page.hits]


def test_a_word_search_lists_matching_steps_newest_first() -> None:
    one = episode_thought("I add the numbers.", "Let me verify the sum.")
    other = episode_thought("I verify nothing.")
    assert _hits("verify") == [(other.pk, 1), (one.pk, 2)]
    assert _hits('"verify the sum"') == [(one.pk, 2)]
    assert _hits("verify -sum") == [(other.pk, 1)]


def test_a_search_matches_formulas() -> None:
    episode = episode_thought(r"It telescopes to 1 - 1/11 = \frac{10}{11}.")
    assert _hits("1/11") == [(episode.pk, 1)]
    assert _hits(r"\frac{10}{11}") == [(episode.pk, 1)]


@pytest.mark.parametrize(("step", "action"), [(None, "wait"), (9, "wait"), (1, "click")])
def test_the_unexplained_filter_matches_episodes_with_unexplained_events(
    step: int | None, action: str
) -> None:
    episode = episode_thought("I look.", action=action)
    episode_thought("I look.", action=action)
    for seq, (kind, of) in enumerate([("scroll", 1), ("key", step)], start=1):
        PageEvent.objects.create(episode=episode, page="p", seq=seq, step=of, kind=kind, at_ms=seq, data={})
    store.facts_compute([episode.pk])
    facts = EpisodeFacts.objects.get(episode=episode)
    assert (facts.unexplained, facts.unexplained_events) == (0, 1)
    assert _hits(action_check="unexplained") == [(episode.pk, None)]
    assert _hits("look", action_check="unexplained") == []


def test_without_words_hits_are_episodes() -> None:
    one, other = episode_thought("a"), factories.episode()
    assert _hits() == [(other.pk, None), (one.pk, None)]


def test_filters_narrow_steps_and_episodes_alike() -> None:
    run = factories.run(model="qwen")
    right = episode_thought(
        "I verify it.", "Done.", run=run, policy_version=3, opened_at=datetime(2026, 3, 2, 9, tzinfo=UTC)
    )
    episode_thought("I verify it.", outcome="incorrect", arm="text_agent", policy_version=4)
    for filters in (
        {"run": run.pk},
        {"model": "qwen"},
        {"policy_version": 3},
        {"arm": "gym"},
        {"outcome": "correct"},
        {"outcome": "correct", "reason": "answer", "benchmark": "gsm8k"},
        {"steps_min": 2},
        {"steps_min": 2, "steps_max": 2},
        {"duration_min_ms": 150},
        {"opened_to": date(2026, 3, 2)},
        {"opened_from": date(2026, 3, 2), "opened_to": date(2026, 3, 2)},
    ):
        assert _hits("verify", **filters) == [(right.pk, 1)], filters
        assert _hits(**filters) == [(right.pk, None)], filters
    assert _hits("verify", duration_max_ms=50) == []
    assert _hits(opened_to=date(2026, 3, 1)) == []


def test_action_filters_apply_to_the_matching_step_or_without_words_to_any_step() -> None:
    episode = factories.episode()
    factories.step(episode, 1, thought="I verify it.")
    factories.step(
        episode, 2, thought="I click.", action=CLICK, action_type="click", action_result="no_target"
    )
    _event(episode)
    factories.verdict(episode)
    store.facts_compute([episode.pk])
    assert _hits(action_check="no_effect") == _hits(action="click") == [(episode.pk, 2)]
    assert _hits("verify", action_check="no_effect") == _hits("verify", action="click") == []
    assert _hits("click", action_check="no_effect", action="click") == [(episode.pk, 2)]
    assert _hits(action_check="different_effect") == _hits(action="goto") == []


def _event(episode: Episode) -> None:
    episode.page_events.create(page="p1", seq=1, step=1, kind="settled", at_ms=1.0)


def test_a_search_for_words_of_tasks_uses_an_index() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(
            f"EXPLAIN SELECT 1 WHERE {selector.EPISODE_CONDITIONS['problem']}".replace("e.task_id", "1"),
            {"problem": '"needle"'},
        )
        plan = "\n".join(row[0] for row in cursor.fetchall())
    assert "on task_words" in plan


@pytest.mark.parametrize(
    ("query", "is_match"),
    [
        ("train", True),
        ("mr.jones", True),
        ("1,000", True),
        ("1000", False),
        ("caf\u00e9", True),
        ("caf", False),
        ("x_1", True),
    ],
)
def test_a_search_for_words_of_tasks_matches_whole_words_split_at_punctuation(
    query: str, is_match: bool
) -> None:
    task = factories.task(
        key="train/mr.jones/7.json", prompt="Pay $1,000 for $x_1$ at the Caf\u00e9 <b>now</b>: 50%!"
    )
    episode = factories.episode(task=task)
    assert _hits(problem=query) == ([(episode.pk, None)] if is_match else [])


def test_a_long_prompt_is_indexed_up_to_the_index_limit() -> None:
    prompt = " ".join(f"\u4e00{number:x}" for number in range(400_000))
    episode = factories.episode(task=factories.task(prompt=prompt))
    assert _hits(problem="\u4e00ff") == [(episode.pk, None)]


def test_an_unknown_filter_is_refused() -> None:
    with pytest.raises(KeyError):
        _hits(golds="42")
    with pytest.raises(KeyError):
        _hits(action_check="confirmed; DROP TABLE")


def test_pages_of_hits_have_no_gaps_or_repetitions() -> None:
    for _ in range(3):
        episode_thought("verify one", "nothing", "verify two")
    for query in ("verify", ""):
        search, seen = Search(query=query, filters={}), []
        page = search_page(search, limit=2)
        while True:
            seen += [(hit.episode.pk, hit.index) for hit in page.hits]
            if page.older is None:
                break
            page = search_page(search, after=page.older, limit=2)
        assert seen == _hits(query)
        assert len(seen) == (6 if query else 3)


def test_counts_are_by_outcome_arm_and_run() -> None:
    run = factories.run()
    episode_thought("verify", "verify again", run=run)
    episode_thought("verify", run=run, outcome="incorrect", arm="text_agent")
    episode_thought("nothing")
    counts = search_counts(Search(query="verify", filters={}))
    assert (counts.total, counts.episodes, counts.is_exact) == (3, 2, True)
    assert counts.outcomes == {"correct": 2, "incorrect": 1}
    assert counts.arms == {"gym": 2, "text_agent": 1}
    assert counts.runs == {run.pk: 3}
    factories.episode()
    assert search_counts(Search(filters={})).outcomes == {"correct": 2, "incorrect": 1, "open": 1}


def test_counts_stop_at_their_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selector, "COUNTED_MAX", 2)
    episode_thought("verify", "verify", "verify")
    counts = search_counts(Search(query="verify", filters={}))
    assert (counts.total, counts.is_exact, counts.outcomes) == (2, False, {"correct": 2})


def test_counts_without_matches_are_zero() -> None:
    counts = search_counts(Search(query="nowhere", filters={}))
    assert (counts.total, counts.is_exact, counts.arms) == (0, True, {})


def test_frequent_words_match_like_rare_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    run = factories.run()
    for _ in range(3):
        episode_thought("verify one", "nothing", "verify two", run=run)
    rare = [_hits("verify"), _hits("verify", run=run.pk), _hits("verify", outcome="correct")]
    monkeypatch.setattr(selector, "RARE_MAX", 3)
    assert [_hits("verify"), _hits("verify", run=run.pk), _hits("verify", outcome="correct")] == rare
    assert len(rare[0]) == 6


@pytest.mark.parametrize("query", ["-verify", "(((", "or"])
def test_a_query_without_words_is_rejected_with_a_reason(query: str) -> None:
    episode_thought("verify")
    search = Search(query=query, filters={})
    assert search_page(search).hits == []
    assert "at least one word" in search.error
    assert search_counts(search).total == 0


def test_a_selection_has_each_episode_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selector, "EXPORTED_AT_ONCE", 2)
    episodes = [episode_thought("verify", "verify", "verify").pk for _ in range(3)]
    assert list(search_episode_ids(Search(query="verify", filters={}))) == episodes[::-1]
    assert list(search_episode_ids(Search(filters={}))) == episodes[::-1]


def test_a_page_of_hits_takes_a_fixed_number_of_queries(django_assert_num_queries: Any) -> None:
    for _ in range(4):
        episode_thought("verify one", "verify two")
    with django_assert_num_queries(3):
        search_page(Search(query="verify", filters={"outcome": "correct"}))


def test_a_page_of_hits_can_end_within_an_episode() -> None:
    episode = episode_thought("verify", "verify", "verify")
    page = search_page(Search(query="verify", filters={}), limit=2)
    assert page.older == Cursor(episode=episode.pk, index=2)


def test_an_excerpt_shows_the_first_hit_in_its_context() -> None:
    thought = "long before. " * 40 + "So 1,000 + 5 is right, let me verify: yes. " + "long after. " * 40
    parts = excerpt(thought, query='verify or "1000 + 5"')
    assert [part.text for part in parts if part.is_hit] == ["1,000 + 5", "verify"]
    assert parts[0].text == "…"
    assert parts[-1].text.endswith("…")
    assert sum(len(part.text) for part in parts) < 400


def test_an_excerpt_is_escaped_and_names_invisible_characters() -> None:
    shown = excerpt_html(excerpt("<script>alert(1)</script> verify \u202e & <b>", query="verify or script"))
    assert "<script>" not in shown
    assert "&lt;<mark>script</mark>&gt;alert" in shown
    assert "<mark>verify</mark>" in shown
    assert "U+202E" in shown
