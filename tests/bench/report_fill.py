"""A report as large as evaluations get: 100,000 ended episodes over four benchmarks, all rungs and 12 looks.

The log-odds of a correct answer are simulated as the sum of effects of the arm, the item and the look.
"""

from __future__ import annotations

import os

import psycopg

from tests.bench.installation import Installation

EPISODES = int(os.environ.get("REPORT_EPISODES", "100000"))
BENCHMARKS = ("gsm8k", "math", "mmlu", "arc")
ARMS = ("text_zero_shot", "text_agent", "gym_with_text", "gym")
SAMPLES = 12
ITEMS = EPISODES // (len(BENCHMARKS) * len(ARMS) * SAMPLES)
SPLIT = "report"


def report_make(place: Installation) -> int:
    """Create a report and fill its runs; return the report's id."""
    plan = {
        "version": 1,
        "name": "large",
        "model": {"name": "none"},
        "benchmarks": [{"slug": slug, "split": SPLIT} for slug in BENCHMARKS],
        "arms": list(ARMS),
        "samples": SAMPLES,
    }
    report = int(place.call("POST", "/reports", {"name": "large", "plan": plan})["id"])
    with psycopg.connect(place.database_url("owner")) as owner:
        for number, slug in enumerate(BENCHMARKS):
            tasks_fill(owner, benchmark=slug, split=SPLIT, items=ITEMS)
            for rung, arm in enumerate(ARMS):
                run = place.call(
                    "POST",
                    "/runs",
                    {
                        "name": f"{slug} {arm}",
                        "kind": "eval",
                        "model": "none",
                        "simulated": True,
                        "report": report,
                    },
                )["id"]
                seed = number * len(ARMS) + rung
                run_fill(owner, run, arm=arm, benchmark=slug, split=SPLIT, rung=rung, seed=seed)
                owner.execute(_COUNT, {"run": run, "episodes": ITEMS * SAMPLES})
    with psycopg.connect(place.database_url("owner"), autocommit=True) as owner:
        owner.execute("VACUUM ANALYZE")
    return report


def tasks_fill(owner: psycopg.Connection, *, benchmark: str, split: str, items: int) -> None:
    owner.execute(_TASKS, {"benchmark": benchmark, "split": split, "items": items})


def run_fill(
    owner: psycopg.Connection,
    run: int,
    *,
    arm: str,
    benchmark: str,
    split: str,
    rung: float,
    seed: int,
    samples: int = SAMPLES,
) -> None:
    """Fill a run with judged episodes of all tasks of a split; each rung costs 0.4 of log-odds."""
    values = {"run": run, "arm": arm, "rung": rung, "seed": seed, "samples": samples}
    owner.execute(_EPISODES, {**values, "benchmark": benchmark, "split": split})


_TASKS = """
INSERT INTO tasks_app_task (benchmark_id, split, key, kind, prompt, payload, tags, guess_rate,
    oracle_steps, gap_eligible, gap_reason, content_hash)
SELECT %(benchmark)s, %(split)s, 'report ' || n, 'free_answer', 'word', '{"text": "word", "format": "plain"}',
    '{}', 0, 2, true, '', 'report ' || n
FROM generate_series(1, %(items)s) n"""

# Items and looks have the same effect, computed from their hash, in every arm.
_EPISODES = """
WITH filled AS MATERIALIZED (
    SELECT id AS task_id, nextval('trajectories_group_id_seq') AS group_id
    FROM tasks_app_task WHERE benchmark_id = %(benchmark)s AND split = %(split)s ORDER BY id
), groups AS (
    INSERT INTO trajectories_group
        (id, run_id, task_id, arm, seed, settings, template, size, ended, completed_seq, created_at)
    SELECT group_id, %(run)s, task_id, %(arm)s, 1, '{}', 'prompts-v7a', %(samples)s, %(samples)s, 1, now()
    FROM filled
), attempts AS MATERIALIZED (
    SELECT f.*, i, row_number() OVER (ORDER BY group_id, i) AS place,
        nextval('trajectories_episode_id_seq') AS episode_id,
        nextval('trajectories_verdict_id_seq') AS verdict_id,
        CASE WHEN (hashint4(task_id::int * 31 + i * 7 + %(seed)s) & 1023) < 10 THEN 'void'
             WHEN (hashint4(task_id::int * 31 + i * 7 + %(seed)s) & 1023) < 1024 / (1 + exp(
                -1.0 + 0.4 * %(rung)s - ((hashint4(task_id::int) & 1023) - 512) / 256.0
                - ((hashint4(i) & 1023) - 512) / 2048.0)) THEN 'correct' ELSE 'incorrect' END AS outcome
    FROM filled f CROSS JOIN generate_series(0, %(samples)s - 1) i
), episodes AS (
    INSERT INTO trajectories_episode (id, run_id, group_id, task_id, arm, sample_index, status, seed,
        presentation, presentation_hash, max_steps, recording, answer_channel, virtual_start, opened_at,
        finished_at, close_reason, close_detail, verdict_id)
    SELECT episode_id, %(run)s, group_id, task_id, %(arm)s, i, 'finished', 1, '{}', 'look-' || i, 10,
        'events', 'page', now(), now(), now(), '', '', verdict_id FROM attempts
)
INSERT INTO trajectories_verdict (id, episode_id, run_id, run_seq, outcome, reward, reason, terminated,
    truncated, metrics, verifier, created_at)
SELECT verdict_id, episode_id, %(run)s, place, outcome,
    CASE outcome WHEN 'correct' THEN 1.0 WHEN 'incorrect' THEN 0.0 END,
    CASE outcome WHEN 'void' THEN 'harness_error' ELSE 'answer' END,
    outcome <> 'void', false, '{}', '', now() FROM attempts"""

_COUNT = "UPDATE trajectories_verdictcounter SET count = %(episodes)s WHERE run_id = %(run)s"
