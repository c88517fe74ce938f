"""Every process is killed while work flows, and nothing that was acknowledged is lost or done twice."""

from __future__ import annotations

import logging
import os
import random
import time
from collections import Counter
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest

from tests.services.canaries import words_in
from tests.services.installations import STOP_S, Up, until
from tests.services.kills import VICTIMS, Installation, installed
from tests.services.traffic import STEPS, Caller, Ledger, Traffic

pytestmark = [pytest.mark.services, pytest.mark.slow]

THREADS = 4
SEED = int(os.environ.get("CHAOS_SEED", "20260302"))
FLOW_STEPS = 10
FLOW_ANSWERS = 3
FLOW_S = 60.0
HASTE_S = (0.1, 1.2)
# From before initdb, over the migrations, to doors that begin to answer.
KILLED_WHILE_STARTING_S = (0.4, 1.0, 1.4, 1.8, 2.2, 2.8, 3.6)
JUDGED_S = 90.0
STREAMED_S = 10.0
SHOWN = 20
SETTINGS = {"CLAIM_LOST_S": "6", "VERIFIER_TIMEOUT_S": "3", "RESEND_AFTER_S": "2,4,8"}
# What every arm can ask, and one line answers.
GOLDS = """
SELECT g.task_id, g.answer FROM tasks_app_gold g JOIN tasks_app_task t ON t.id = g.task_id
WHERE g.is_current AND t.kind = 'free_answer' AND t.benchmark_id <> 'reasoning_gym'"""

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


def test_kills_lose_and_duplicate_nothing(tmp_path: Path) -> None:
    logging.getLogger("httpx").setLevel(logging.WARNING)
    up = Up(tmp_path / "var", extra=SETTINGS)
    with installed(up) as installation:
        ledger = Ledger()
        try:
            _chaos(installation, ledger)
        finally:
            complaints = _complaints(installation.owner_url, ledger)
            _say(f"{len(complaints)} complaints; logs are in {up.var_dir / 'logs'}\n{_excerpt(complaints)}")
        assert complaints == []
        assert list(words_in(up.var_dir / "logs", ledger.tokens)) == []  # crashes log requests too
        assert installation.now.interrupt() < STOP_S
        assert up.descendants() == []


def test_a_supervisor_killed_at_any_moment_of_its_start_can_start_again(tmp_path: Path) -> None:
    up = Up(tmp_path / "var")
    for seconds in KILLED_WHILE_STARTING_S:
        starting = up.spawn()
        time.sleep(seconds)
        starting.kill()
        starting.communicate()
    with installed(up) as installation:
        until(lambda: up.health_record()["status"] == "ok", seconds=30, what="nothing is missing")
        durable = ("fsync", "synchronous_commit", "full_page_writes")
        shown = [_rows(installation.owner_url, f"SHOW {name}") for name in durable]
        assert shown == [[("on",)]] * len(durable)


def _chaos(installation: Installation, ledger: Ledger) -> None:
    """Kill processes while threads work and note the answers; returns when everything is judged."""
    traffic = Traffic(
        up=installation.up,
        key=installation.key,
        run=_run_open(installation, ledger),
        golds=_golds(installation.owner_url),
        ledger=ledger,
    )
    with ThreadPoolExecutor(THREADS + 1) as threads:
        working = [threads.submit(traffic.rollouts, SEED + number) for number in range(THREADS)]
        following = threads.submit(traffic.stream)
        try:
            _kill_one_by_one(installation, ledger, working)
            _kill_in_haste(installation, working)
            _flow(ledger, working, after="the last kill")
            traffic.stop.set()
            for thread in working:
                thread.result(timeout=JUDGED_S)
            _wait_judged(installation.owner_url, ledger)
        finally:
            traffic.stop.set()
            traffic.is_over.set()
        following.result()
    _say(_summary(installation.owner_url, ledger))


def _wait_judged(owner_url: str, ledger: Ledger) -> None:
    """Until every submission has its verdict, and the stream's reader has them all."""
    until(lambda: not _waiting(owner_url), seconds=JUDGED_S, what="every submission is judged")
    claim = "the stream has sent every verdict"
    until(lambda: len(ledger.streamed) >= len(ledger.expected), seconds=STREAMED_S, what=claim)


def _kill_one_by_one(installation: Installation, ledger: Ledger, working: list[Future[None]]) -> None:
    """Kill each process in turn; work must flow again before the next."""
    order = _shuffled(SEED)
    _flow(ledger, working, after="the start")
    for victim in order:
        began = time.monotonic()
        installation.kill(victim)
        _flow(ledger, working, after=f"{victim} was killed")
        _say(f"{victim}: work flows {time.monotonic() - began:.1f} s after")


def _kill_in_haste(installation: Installation, working: list[Future[None]]) -> None:
    """Kill each process once more, without waiting for the last to come back."""
    chance = random.Random(SEED)
    for victim in _shuffled(SEED + 1):
        _fail_early(working)
        _say(f"{victim}, in haste")
        installation.kill(victim)
        time.sleep(chance.uniform(*HASTE_S))


def _shuffled(seed: int) -> list[str]:
    order = [*VICTIMS, "supervisor"]
    random.Random(seed).shuffle(order)
    return order


def _flow(ledger: Ledger, working: list[Future[None]], *, after: str) -> None:
    """Wait until steps and submissions have been acknowledged again, and verdicts have come."""
    steps, answers, verdicts = ledger.flow()

    def flows() -> bool:
        _fail_early(working)
        now = ledger.flow()
        return now[0] >= steps + FLOW_STEPS and min(now[1] - answers, now[2] - verdicts) >= FLOW_ANSWERS

    until(flows, seconds=FLOW_S, what=f"steps, submissions and verdicts flow after {after}")


def _fail_early(working: list[Future[None]]) -> None:
    for thread in working:
        if thread.done():
            thread.result()


def _run_open(installation: Installation, ledger: Ledger) -> int:
    caller = Caller(installation.up, installation.key, ledger, chance=random.Random(SEED))
    run, once = {"name": "chaos", "kind": "eval"}, {"Idempotency-Key": "chaos"}
    made = caller.json("POST", f"{caller.lab}/api/v1/runs", json=run, headers=once)
    caller.close()
    return made["id"]


def _golds(owner_url: str) -> dict[int, str]:
    return dict(_rows(owner_url, GOLDS))


def _waiting(owner_url: str) -> list[tuple[int]]:
    return _rows(owner_url, "SELECT episode_id FROM trajectories_submission WHERE judged_at IS NULL")


def _complaints(owner_url: str, ledger: Ledger) -> list[str]:
    return [
        *_steps_complaints(owner_url, ledger),
        *_episodes_complaints(owner_url, ledger),
        *_stream_complaints(owner_url, ledger),
        *_sums_complaints(owner_url),
    ]


def _steps_complaints(owner_url: str, ledger: Ledger) -> list[str]:
    """Every acknowledged step is stored once with its content, and no other step is."""
    rows = _rows(owner_url, "SELECT episode_id, index, thought, observation_text FROM trajectories_step")
    stored = {(episode, index): (thought, text) for episode, index, thought, text in rows}
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


def _episodes_complaints(owner_url: str, ledger: Ledger) -> list[str]:
    """Every episode was opened once and judged once, as its answer deserves."""
    rows = _rows(
        owner_url,
        "SELECT e.id, e.status, s.answer, v.outcome, v.reason, x.verdict_id = e.verdict_id,"
        " (SELECT count(*) FROM trajectories_verdict o WHERE o.episode_id = e.id)"
        " FROM trajectories_episode e LEFT JOIN trajectories_submission s ON s.episode_id = e.id"
        " LEFT JOIN trajectories_verdict v ON v.id = e.verdict_id"
        " LEFT JOIN trajectories_verdictevidence x ON x.verdict_id = v.id",
    )
    stored = {row[0]: row[1:] for row in rows}
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
    """The stream has no hole, and its reader got each verdict once and in order."""
    rows = _rows(owner_url, "SELECT run_seq, episode_id FROM trajectories_verdict ORDER BY run_seq")
    complaints = []
    if [seq for seq, _ in rows] != list(range(1, len(rows) + 1)):
        complaints.append(f"the numbers of the verdicts have holes: {[seq for seq, _ in rows]}")
    ((count,),) = _rows(owner_url, "SELECT coalesce(sum(count), 0) FROM trajectories_verdictcounter")
    if count != len(rows):
        complaints.append(f"the counter says {count} of {len(rows)} verdicts")
    order = [episode for _, episode in rows]
    twice = [episode for episode, times in Counter(ledger.streamed).items() if times > 1]
    complaints += [f"episode {episode} was streamed twice" for episode in twice]
    complaints += [f"episode {episode} was not streamed" for episode in set(order) - set(ledger.streamed)]
    if not complaints and order != ledger.streamed:
        complaints.append(f"the stream came in the order {ledger.streamed}, not {order}")
    return complaints


def _sums_complaints(owner_url: str) -> list[str]:
    """The sums are those of the verdicts, and every group whose episodes have ended is complete."""
    summed = set(_rows(owner_url, SUMMED))
    counted = set(_rows(owner_url, COUNTED))
    complaints = [f"(run, outcome, reason, episodes) {row} is not in the sums" for row in counted - summed]
    complaints += [f"(run, outcome, reason, episodes) {row} is only in the sums" for row in summed - counted]
    return complaints + [f"group {group} is not complete" for (group,) in _rows(owner_url, INCOMPLETE)]


def _rows(owner_url: str, statement: str) -> list[tuple]:
    with psycopg.connect(owner_url) as connection:
        return connection.execute(statement).fetchall()


def _summary(owner_url: str, ledger: Ledger) -> str:
    ((resent, reclaimed, slowest),) = _rows(
        owner_url,
        "SELECT count(*) FILTER (WHERE sends > 0), count(*) FILTER (WHERE claims > 1),"
        " extract(epoch FROM max(judged_at - received_at)) FROM trajectories_submission",
    )
    return (
        f"{len(ledger.opened)} episodes, {len(ledger.steps)} steps ({ledger.duplicates} already stored),"
        f" {ledger.retries} retries, {resent} jobs sent again, {reclaimed} claimed again,"
        f" slowest verdict {slowest:.1f} s"
    )


def _excerpt(complaints: list[str]) -> str:
    more = f"\nand {len(complaints) - SHOWN} more" if len(complaints) > SHOWN else ""
    return "\n".join(sorted(complaints)[:SHOWN]) + more


def _say(line: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {line}")
