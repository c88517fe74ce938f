"""A run as long as a training run: 200,000 ended episodes (or ``LONG_RUN_EPISODES``) in groups of eight."""

from __future__ import annotations

import os

import psycopg

from trajectories.behaviour.facts.behaviour import VERSION

EPISODES = int(os.environ.get("LONG_RUN_EPISODES", "200000"))
GROUP_SIZE = 8
TASKS = 5_000
POLICY_VERSIONS = 40
# Only the latest episodes have steps; these are more than any page counts.
LATEST = 4_000


def run_fill(url: str, run: int) -> None:
    """Insert the episodes with their facts into an empty run, as the owner.

    The run's sums are not written.
    """
    with psycopg.connect(url) as owner:
        episodes_fill(owner, run)
        facts_fill(owner, [run])
        owner.execute(_STEPS, {"run": run, "latest": LATEST})
    with psycopg.connect(url, autocommit=True) as owner:
        owner.execute("VACUUM ANALYZE")


def episodes_fill(
    owner: psycopg.Connection, run: int, *, episodes: int = EPISODES, tasks: int = TASKS
) -> None:
    owner.execute(_TASKS, {"tasks": tasks})
    sizes = {
        "run": run,
        "episodes": episodes,
        "size": GROUP_SIZE,
        "versions": POLICY_VERSIONS,
        "tasks": tasks,
    }
    owner.execute(_EPISODES, sizes)
    owner.execute("UPDATE trajectories_verdictcounter SET count = %s WHERE run_id = %s", [episodes, run])


def facts_fill(owner: psycopg.Connection, runs: list[int]) -> None:
    """Insert facts with the episodes; otherwise the sweeper would have them computed from no steps."""
    owner.execute(_FACTS, {"runs": runs, "version": VERSION})


_TASKS = """
INSERT INTO tasks_app_task (benchmark_id, split, key, kind, prompt, payload, tags, guess_rate,
    oracle_steps, gap_eligible, gap_reason, content_hash)
SELECT 'gsm8k', 'long', 'long ' || n, 'free_answer', 'word', '{"text": "word", "format": "plain"}',
    '{}', 0, 2, true, '', 'long ' || n
FROM generate_series(1, %(tasks)s) n
ON CONFLICT DO NOTHING"""

# Two arms take turns on each task. Of five episodes, one is correct, three are wrong and one is void.
_EPISODES = """
WITH tasks AS MATERIALIZED (
    SELECT id, row_number() OVER (ORDER BY id) - 1 AS place FROM tasks_app_task WHERE split = 'long'
), filled AS MATERIALIZED (
    SELECT n AS group_id, t.id AS task_id,
        (ARRAY['gym', 'gym_with_text'])[1 + (n + n / %(tasks)s) %% 2] AS arm,
        n * %(versions)s * %(size)s / %(episodes)s AS policy_version,
        nextval('trajectories_group_id_seq') AS id
    FROM generate_series(0, %(episodes)s / %(size)s - 1) n
    JOIN tasks t ON t.place = n %% (SELECT count(*) FROM tasks) ORDER BY n
), groups AS (
    INSERT INTO trajectories_group
        (id, run_id, task_id, arm, policy_version, seed, settings, template, size, created_at)
    SELECT id, %(run)s, task_id, arm, policy_version, 1, '{}', 'none', %(size)s, now() FROM filled
), attempts AS MATERIALIZED (
    SELECT g.id AS group_id, g.task_id, g.arm, g.policy_version, i AS sample_index,
        g.group_id * %(size)s + i + 1 AS place,
        nextval('trajectories_episode_id_seq') AS episode_id,
        nextval('trajectories_verdict_id_seq') AS verdict_id,
        (ARRAY['correct', 'incorrect', 'incorrect', 'incorrect', 'void'])[1 + (g.group_id * 3 + i) %% 5]
            AS outcome,
        now() - (%(episodes)s - g.group_id * %(size)s - i) * interval '0.1 s' AS at
    FROM filled g CROSS JOIN generate_series(0, %(size)s - 1) i ORDER BY g.group_id, i
), episodes AS (
    INSERT INTO trajectories_episode (id, run_id, group_id, task_id, arm, sample_index, policy_version,
        status, seed, presentation, presentation_hash, max_steps, recording, answer_channel, virtual_start,
        opened_at, finished_at, close_reason, close_detail, verdict_id)
    SELECT episode_id, %(run)s, group_id, task_id, arm, sample_index, policy_version, 'finished', 1, '{}', '',
        10, 'events', 'page', at, at, at, '', '', verdict_id FROM attempts
)
INSERT INTO trajectories_verdict (id, episode_id, run_id, run_seq, outcome, reward, reason, terminated,
    truncated, metrics, verifier, created_at)
SELECT verdict_id, episode_id, %(run)s, place, outcome,
    CASE outcome WHEN 'correct' THEN 1.0 WHEN 'incorrect' THEN 0.0 END,
    CASE outcome WHEN 'void' THEN 'harness_error' ELSE 'answer' END,
    outcome <> 'void', false, '{}', '', at FROM attempts"""

_FACTS = """
INSERT INTO trajectories_episodefacts (episode_id, version, steps, duration_ms, action_types, no_effect,
    different_effect, unexplained, confirmed, unexplained_events, first_unexplained,
    loops, backtracks, page_changes, hidden_thoughts, invalid_actions, checks, thought_chars,
    thought_words, numbers, formulas, restates, seen_until, computed_at)
SELECT id, %(version)s, 4 + (id * 7) %% 5, 8000, '{"click": 2, "answer": 1}', 0, 0, 0, 3, 0, '[]',
    (id * 11) %% 2, 0, 1, 0, (id * 13) %% 3, (id * 17) %% 2, 400,
    60 + (id * 19) %% 40, 3, 1, ((id * 23) %% 100) / 100.0, now(), now()
FROM trajectories_episode WHERE run_id = ANY(%(runs)s)"""

_STEPS = """
INSERT INTO trajectories_step (episode_id, index, thought, raw, action, action_type, action_known,
    action_result, parse_error, observation_kind, observation_text, observation_sha256, screenshot, url,
    started_at, duration_ms, actor, more, content_hash, created_at)
SELECT f.episode_id, i, 'The price is 12, so the answer is 24. Let me check.', '',
    '{"type": "click", "target": "e3"}', 'click', true, 'ok', '', 'axtree-v2', 'page "Question"', '', '', '',
    now(), 1600, 'policy',
    jsonb_build_object('usage', jsonb_build_object('completion', 20 + (f.episode_id * 7 + i * 13) %% 180)),
    '\\x00', now()
FROM (
    SELECT f.episode_id, f.steps FROM trajectories_episodefacts f
    JOIN trajectories_episode e ON e.id = f.episode_id
    WHERE e.run_id = %(run)s ORDER BY f.episode_id DESC LIMIT %(latest)s
) f CROSS JOIN LATERAL generate_series(1, f.steps) i"""
