"""Comparison of what an installation has stored with what it acknowledged."""

from __future__ import annotations

from collections import Counter
from typing import Any

import psycopg

from tests.services.traffic import STEPS, Ledger

SUMMED = """
SELECT run_id, outcome, reason, sum(episodes)::bigint FROM trajectories_endingsum GROUP BY 1, 2, 3"""
COUNTED = """
SELECT e.run_id, v.outcome, v.reason, count(*) FROM trajectories_episode e
JOIN trajectories_verdict v ON v.id = e.verdict_id GROUP BY 1, 2, 3"""
INCOMPLETE = """
SELECT g.id FROM trajectories_group g WHERE completed_seq IS DISTINCT FROM (
    SELECT CASE WHEN count(e.verdict_id) = count(*) THEN max(v.run_seq) END
    FROM trajectories_episode e LEFT JOIN trajectories_verdict v ON v.id = e.verdict_id
    WHERE e.group_id = g.id)"""


def rows(owner_url: str, statement: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(owner_url) as connection:
        return connection.execute(statement).fetchall()


def steps_lost(owner_url: str, ledger: Ledger) -> set[tuple[int, int]]:
    """Return the acknowledged steps, as episode and index, that are missing or have different content."""
    stored = _steps(owner_url)
    return {place for place, content in ledger.steps.items() if stored.get(place) != content}


def verdicts_odd(owner_url: str) -> tuple[set[int], set[int]]:
    """Return the episodes with more than one verdict, and those that are void."""
    counted = rows(
        owner_url,
        "SELECT episode_id, count(*), bool_or(outcome = 'void') FROM trajectories_verdict GROUP BY 1",
    )
    return {row[0] for row in counted if row[1] > 1}, {row[0] for row in counted if row[2]}


def complaints(owner_url: str, ledger: Ledger) -> list[str]:
    """Return a sentence for everything that is not as it was acknowledged."""
    return [
        *_steps_complaints(owner_url, ledger),
        *_blobs_complaints(owner_url, ledger),
        *_episodes_complaints(owner_url, ledger),
        *_stream_complaints(owner_url, ledger),
        *_sums_complaints(owner_url),
    ]


def _steps(owner_url: str) -> dict[tuple[int, int], tuple[str, str]]:
    stored = rows(owner_url, "SELECT episode_id, index, thought, observation_text FROM trajectories_step")
    return {(episode, index): (thought, text) for episode, index, thought, text in stored}


def _steps_complaints(owner_url: str, ledger: Ledger) -> list[str]:
    """Check that every acknowledged step is stored once with its content, and that there are no others."""
    stored = _steps(owner_url)
    lost = [f"step {place} is missing" for place in ledger.steps.keys() - stored.keys()]
    strange = [f"step {place} was never sent" for place in stored.keys() - ledger.steps.keys()]
    common = ledger.steps.keys() & stored.keys()
    changed = [f"step {place} is another" for place in common if stored[place] != ledger.steps[place]]
    short = [
        f"episode {episode} has {count} steps"
        for episode, count in Counter(episode for episode, _ in stored).items()
        if count != STEPS
    ]
    return lost + strange + changed + short


def _blobs_complaints(owner_url: str, ledger: Ledger) -> list[str]:
    stored = dict(rows(owner_url, "SELECT sha256, size FROM trajectories_blob"))
    return [f"blob {name} is lost" for name, size in ledger.blobs.items() if stored.get(name) != size]


def _episodes_complaints(owner_url: str, ledger: Ledger) -> list[str]:
    """Check that every episode was opened once and judged once, with the verdict that its answer deserves."""
    episodes = rows(
        owner_url,
        "SELECT e.id, e.status, s.answer, v.outcome, v.reason, x.verdict_id = e.verdict_id,"
        " (SELECT count(*) FROM trajectories_verdict o WHERE o.episode_id = e.id)"
        " FROM trajectories_episode e LEFT JOIN trajectories_submission s ON s.episode_id = e.id"
        " LEFT JOIN trajectories_verdict v ON v.id = e.verdict_id"
        " LEFT JOIN trajectories_verdictevidence x ON x.verdict_id = v.id",
    )
    stored = {row[0]: row[1:] for row in episodes}
    expected = {
        episode: ("finished", answer, outcome, "answer", True, 1)
        for episode, (answer, outcome) in ledger.expected.items()
    }
    complaints = [f"episode {episode} was never opened" for episode in stored.keys() - ledger.opened]
    complaints += [f"episode {episode} was not submitted" for episode in ledger.opened - expected.keys()]
    complaints += [
        f"episode {episode} is {stored.get(episode)}, not {record}"
        for episode, record in expected.items()
        if stored.get(episode) != record
    ]
    return complaints + [
        f"a wait for episode {episode} returned {outcome}"
        for episode, outcome in ledger.waited.items()
        if outcome != ledger.expected[episode][1]
    ]


def _stream_complaints(owner_url: str, ledger: Ledger) -> list[str]:
    """Check that the stream has no gaps, and that its reader got each verdict once and in order."""
    places = rows(owner_url, "SELECT run_seq, episode_id FROM trajectories_verdict ORDER BY run_seq")
    complaints = []
    if [seq for seq, _ in places] != list(range(1, len(places) + 1)):
        complaints.append(f"the numbers of the verdicts have holes: {[seq for seq, _ in places]}")
    ((count,),) = rows(owner_url, "SELECT coalesce(sum(count), 0) FROM trajectories_verdictcounter")
    if count != len(places):
        complaints.append(f"the counter says {count} of {len(places)} verdicts")
    order = [episode for _, episode in places]
    twice = [episode for episode, times in Counter(ledger.streamed).items() if times > 1]
    complaints += [f"episode {episode} was streamed twice" for episode in twice]
    complaints += [f"episode {episode} was not streamed" for episode in set(order) - set(ledger.streamed)]
    if not complaints and order != ledger.streamed:
        complaints.append(f"the stream came in the order {ledger.streamed}, not {order}")
    return complaints


def _sums_complaints(owner_url: str) -> list[str]:
    """Check that the sums match the verdicts, and that every group whose episodes have ended is complete."""
    summed = set(rows(owner_url, SUMMED))
    counted = set(rows(owner_url, COUNTED))
    complaints = [f"(run, outcome, reason, episodes) {row} is not in the sums" for row in counted - summed]
    complaints += [f"(run, outcome, reason, episodes) {row} is only in the sums" for row in summed - counted]
    return complaints + [f"group {group} is not complete" for (group,) in rows(owner_url, INCOMPLETE)]


def summary(owner_url: str, ledger: Ledger) -> str:
    ((resent, reclaimed, slowest),) = rows(
        owner_url,
        "SELECT count(*) FILTER (WHERE sends > 0), count(*) FILTER (WHERE claims > 1),"
        " extract(epoch FROM max(judged_at - received_at)) FROM trajectories_submission",
    )
    return (
        f"{len(ledger.opened)} episodes, {len(ledger.steps)} steps ({ledger.duplicates} already stored),"
        f" {len(ledger.blobs)} blobs, {ledger.retries} retries, {resent} jobs sent again,"
        f" {reclaimed} claimed again, slowest verdict {slowest:.1f} s"
    )
