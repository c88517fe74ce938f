"""Lists as long as those of a research group: 20,000 tasks, and 500 runs that play each in four arms."""

from __future__ import annotations

import psycopg

from tests.bench import long_run
from tests.bench.installation import Installation

TASKS = 20_000
RUNS = 500
ARMS = ("text_zero_shot", "text_agent", "gym_with_text", "gym")
POLICY_VERSIONS = 10
BENCHMARK, SPLIT = "gsm8k", "listed"


def lists_make(place: Installation) -> list[int]:
    """Fill the tables, and return the ids of the runs; four neighbouring runs each share their tasks."""
    owner_url = place.database_url("owner")
    with psycopg.connect(owner_url) as owner:
        owner.execute(_TASKS, {"benchmark": BENCHMARK, "split": SPLIT, "tasks": TASKS})
        runs = [row[0] for row in owner.execute(_RUNS, {"runs": RUNS, "arms": len(ARMS)})]
        owner.execute(
            _EPISODES,
            {
                "runs": runs,
                "arms": list(ARMS),
                "split": SPLIT,
                "each": TASKS * len(ARMS) // RUNS,
                "versions": POLICY_VERSIONS,
            },
        )
        long_run.facts_fill(owner, runs)
    place.manage("rebuild_sums")
    with psycopg.connect(owner_url, autocommit=True) as owner:
        owner.execute("VACUUM ANALYZE")
    return runs


_TASKS = """
INSERT INTO tasks_app_task (benchmark_id, split, key, kind, prompt, payload, tags, guess_rate, difficulty,
    oracle_steps, gap_eligible, gap_reason, content_hash)
SELECT %(benchmark)s, %(split)s, 'listed ' || n, 'free_answer', text,
    jsonb_build_object('text', text, 'format', 'plain'), ARRAY['part ' || n %% 40], (n %% 7) / 100.0,
    (n * 31 %% 100) / 100.0, 2, n %% 20 > 0, CASE WHEN n %% 20 = 0 THEN 'a figure' ELSE '' END,
    'listed ' || n
FROM (SELECT n, 'A shop sells ' || n || ' apples at ' || n %% 9 + 1 || ' cents each and gives every tenth '
    || 'one away. How much does it take for all of them?' AS text
    FROM generate_series(1, %(tasks)s) n) drafts"""

_RUNS = """
WITH made AS (
    INSERT INTO trajectories_run (name, kind, model, checkpoint, observation, grammar, history,
        actions_per_turn, observation_settings, affordances, settings, tags, simulated, created_at)
    SELECT 'listed ' || n, 'eval', 'model-' || n / %(arms)s %% 5, 'part ' || n / %(arms)s, 'axtree-v2',
        'json', 'full', 1, '{}', '{}', '{}', ARRAY['listed'], true, now() - n * interval '1 minute'
    FROM generate_series(0, %(runs)s - 1) n RETURNING id
), counters AS (INSERT INTO trajectories_verdictcounter (run_id, count) SELECT id, 0 FROM made)
SELECT id FROM made ORDER BY id"""

# Runs get one block of tasks after the other; as many consecutive runs as there are arms share a block.
_EPISODES = """
WITH tasks AS MATERIALIZED (
    SELECT id AS task_id, row_number() OVER (ORDER BY id) - 1 AS place FROM tasks_app_task
    WHERE split = %(split)s
), drafts AS MATERIALIZED (
    SELECT r.run_id, t.task_id, t.place,
        (%(arms)s::text[])[1 + (r.n - 1) %% cardinality(%(arms)s::text[])] AS arm,
        row_number() OVER (PARTITION BY r.run_id ORDER BY t.place) AS seq,
        nextval('trajectories_group_id_seq') AS group_id,
        nextval('trajectories_episode_id_seq') AS episode_id,
        nextval('trajectories_verdict_id_seq') AS verdict_id,
        CASE WHEN (hashint8(t.task_id * 7 + r.n) & 1023) < 20 THEN 'void'
             WHEN (hashint8(t.task_id * 31 + r.n) & 1023) < 600 - 60 * (r.n %% 4) THEN 'correct'
             ELSE 'incorrect' END AS outcome
    FROM unnest(%(runs)s::bigint[]) WITH ORDINALITY AS r(run_id, n)
    JOIN tasks t ON t.place / %(each)s = (r.n - 1) / cardinality(%(arms)s::text[])
), groups AS (
    INSERT INTO trajectories_group (id, run_id, task_id, arm, policy_version, seed, settings, template, size,
        ended, completed_seq, created_at)
    SELECT group_id, run_id, task_id, arm, seq %% %(versions)s, 1, '{}', 'none', 1, 1, seq, now() FROM drafts
), episodes AS (
    INSERT INTO trajectories_episode (id, run_id, group_id, task_id, arm, sample_index, policy_version,
        status, seed, presentation, presentation_hash, max_steps, recording, answer_channel, virtual_start,
        opened_at, finished_at, close_reason, close_detail, verdict_id)
    SELECT episode_id, run_id, group_id, task_id, arm, 0, seq %% %(versions)s, 'finished', 1, '{}', '', 10,
        'events', 'page', now(), now(), now(), '', '', verdict_id FROM drafts
)
INSERT INTO trajectories_verdict (id, episode_id, run_id, run_seq, outcome, reward, reason, terminated,
    truncated, metrics, verifier, created_at)
SELECT verdict_id, episode_id, run_id, seq, outcome,
    CASE outcome WHEN 'correct' THEN 1.0 WHEN 'incorrect' THEN 0.0 END,
    CASE outcome WHEN 'void' THEN 'harness_error' ELSE 'answer' END,
    outcome <> 'void', false, '{}', '', now() FROM drafts"""
