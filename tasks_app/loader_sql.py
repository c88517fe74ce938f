"""SQL statements that write tasks and golds in bulk. Each takes one JSON array of rows."""

from __future__ import annotations

UPSERT_BENCHMARK = """
INSERT INTO tasks_app_benchmark AS b
    (id, title, kind, license, source, verifier_official, verifier_training)
VALUES (%s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (id) DO UPDATE SET
    title = excluded.title, kind = excluded.kind, license = excluded.license, source = excluded.source,
    verifier_official = excluded.verifier_official, verifier_training = excluded.verifier_training
WHERE (b.title, b.kind, b.license, b.source, b.verifier_official, b.verifier_training)
    IS DISTINCT FROM (excluded.title, excluded.kind, excluded.license, excluded.source,
                      excluded.verifier_official, excluded.verifier_training)
"""

# Unchanged rows are left out first, because ON CONFLICT would lock each of them and use up an id.
# Ids are assigned in the order of the file.
UPSERT_TASKS = """
INSERT INTO tasks_app_task AS t
    (benchmark_id, split, key, kind, prompt, payload, difficulty, tags, guess_rate, oracle_steps,
     gap_eligible, gap_reason, content_hash, created_at, updated_at)
SELECT r.benchmark, r.split, r.key, r.kind, r.prompt, r.payload, r.difficulty, r.tags, r.guess_rate,
    r.oracle_steps, r.gap_eligible, r.gap_reason, r.content_hash, clock_timestamp(), clock_timestamp()
FROM jsonb_to_recordset(%s::jsonb) AS r(
    n integer, benchmark text, split text, key text, kind text, prompt text, payload jsonb,
    difficulty double precision, tags text[], guess_rate double precision, oracle_steps smallint,
    gap_eligible boolean, gap_reason text, content_hash text)
WHERE NOT EXISTS (
    SELECT FROM tasks_app_task s
    WHERE (s.benchmark_id, s.split, s.key, s.content_hash) = (r.benchmark, r.split, r.key, r.content_hash))
ORDER BY r.n
ON CONFLICT (benchmark_id, split, key) DO UPDATE SET
    kind = excluded.kind, prompt = excluded.prompt, payload = excluded.payload,
    difficulty = excluded.difficulty, tags = excluded.tags, guess_rate = excluded.guess_rate,
    oracle_steps = excluded.oracle_steps, gap_eligible = excluded.gap_eligible,
    gap_reason = excluded.gap_reason, content_hash = excluded.content_hash, updated_at = excluded.updated_at,
    changed_at = clock_timestamp()
RETURNING t.xmax = 0
"""

# Compare with the last gold that came from a source, so that reloading does not undo people's corrections.
CHANGED_GOLDS = """
SELECT r.n, t.id, coalesce((SELECT max(version) FROM tasks_app_gold WHERE task_id = t.id), 0) + 1
FROM jsonb_to_recordset(%s::jsonb)
    AS r(n integer, benchmark text, split text, key text,
         answer text, accepted text[], solution text, extra jsonb)
JOIN tasks_app_task t ON (t.benchmark_id, t.split, t.key) = (r.benchmark, r.split, r.key)
LEFT JOIN LATERAL (
    SELECT answer, accepted, solution, extra FROM tasks_app_gold
    WHERE task_id = t.id AND status <> 'corrected' ORDER BY version DESC LIMIT 1) AS g ON true
WHERE (g.answer, g.accepted::text[], g.solution, g.extra)
    IS DISTINCT FROM (r.answer, r.accepted, r.solution, r.extra)
ORDER BY r.n
"""

# Adding solutions to a source changes no answer, so the gold keeps its version.
FILL_SOLUTIONS = """
UPDATE tasks_app_gold g SET solution = r.solution, steps = r.steps, clean_steps = NULL
FROM jsonb_to_recordset(%s::jsonb)
    AS r(benchmark text, split text, key text,
         answer text, accepted text[], solution text, steps text[], extra jsonb)
JOIN tasks_app_task t ON (t.benchmark_id, t.split, t.key) = (r.benchmark, r.split, r.key)
WHERE g.task_id = t.id AND g.solution = '' AND g.status <> 'corrected'
    AND (g.answer, g.accepted::text[], g.extra) IS NOT DISTINCT FROM (r.answer, r.accepted, r.extra)
    AND g.version = (
        SELECT max(version) FROM tasks_app_gold WHERE task_id = t.id AND status <> 'corrected')
"""

# If keys are row numbers, a second file of a split could overwrite the first. Golds that a person has
# corrected are skipped because their source is not a file.
TAKEN_KEYS = """
SELECT r.n, g.source
FROM jsonb_to_recordset(%s::jsonb)
    AS r(n integer, benchmark text, split text, key text, content_hash text, place text)
JOIN tasks_app_task t ON (t.benchmark_id, t.split, t.key) = (r.benchmark, r.split, r.key)
JOIN LATERAL (
    SELECT source FROM tasks_app_gold
    WHERE task_id = t.id AND status <> 'corrected' ORDER BY version DESC LIMIT 1) AS g ON true
WHERE t.content_hash <> r.content_hash
    AND g.source ~ '^[^;]+:[0-9]+($|;)' AND r.place ~ ':[0-9]+$'
    AND regexp_replace(g.source, ':[0-9]+($|;.*)', '') <> regexp_replace(r.place, ':[0-9]+$', '')
"""

RETIRE_GOLDS = "UPDATE tasks_app_gold SET is_current = false WHERE is_current AND task_id = ANY(%s)"

INSERT_GOLDS = """
INSERT INTO tasks_app_gold
    (task_id, version, is_current, status, answer, accepted, solution, steps, extra, source, created_at)
SELECT r.task_id, r.version, true, 'valid', r.answer, r.accepted, r.solution, r.steps, r.extra, r.source,
    clock_timestamp()
FROM jsonb_to_recordset(%s::jsonb)
    AS r(task_id bigint, version integer, answer text, accepted text[], solution text, steps text[],
         extra jsonb, source text)
"""
