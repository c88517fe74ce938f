-- Stores steps once: equal ones count as duplicates, and one clash refuses the whole call. While a person acts, only
-- steps taken before the takeover are accepted; after close, or STEP_GRACE_S after the verdict, none.
WITH input AS MATERIALIZED (
    SELECT * FROM json_to_recordset(%(steps)s::json) AS i(
        {typed_columns}, hash text)
), episode AS (
    SELECT e.id, e.status, e.max_steps + e.person_steps AS max_steps, e.begins_after, t.split, v.terminated, v.truncated,
        e.closed_at IS NULL AND e.inherited_events IS NOT NULL AND (e.status <> 'finished' OR e.finished_at > now() - %(grace)s * interval '1 s')
            AS is_accepting,
        CASE WHEN v.id IS NOT NULL THEN {verdict_json} END AS verdict,
        CASE WHEN e.is_taken_over THEN (SELECT max(t.begins_after) FROM trajectories_takeover t
            WHERE t.episode_id = e.id AND {holds}) END AS held_after
    FROM trajectories_episode e JOIN tasks_app_task t ON t.id = e.task_id
    JOIN trajectories_run r ON r.id = e.run_id
    LEFT JOIN trajectories_verdict v ON v.id = e.verdict_id
    WHERE e.id = %(episode)s AND r.project = %(project)s
), compared AS MATERIALIZED (
    -- A subquery for each row, not a join: a plan made while the table is small would read all of it.
    SELECT i.index, (SELECT s.content_hash = decode(i.hash, 'hex') FROM trajectories_step s
        WHERE s.episode_id = %(episode)s AND s.index = i.index) AS is_same FROM input i
), known AS (
    SELECT * FROM compared WHERE is_same IS NOT NULL
), written AS (
    INSERT INTO trajectories_step (episode_id, {columns}, content_hash, created_at)
    SELECT episode.id, {values},
        decode(i.hash, 'hex'), now()
    FROM input i CROSS JOIN episode
    WHERE episode.is_accepting AND (%(splits)s::text[] = '{}' OR episode.split = ANY(%(splits)s::text[]))
        AND NOT EXISTS (SELECT 1 FROM known WHERE NOT is_same)
        AND NOT EXISTS (SELECT 1 FROM input h WHERE h.index > episode.held_after)
    ON CONFLICT (episode_id, index) DO NOTHING RETURNING index
)
SELECT episode.status, episode.split, episode.is_accepting, episode.max_steps, (SELECT count(*) FROM written),
    (SELECT count(*) FROM known WHERE is_same),
    ARRAY(SELECT k.index FROM known k WHERE NOT is_same ORDER BY 1),
    -- A statement does not see rows that it inserts itself (PostgreSQL, "Data-Modifying Statements in WITH").
    greatest((SELECT max(s.index) FROM trajectories_step s WHERE s.episode_id = episode.id),
             (SELECT max(w.index) FROM written w), episode.begins_after),
    episode.terminated, episode.truncated, episode.verdict::text, episode.held_after
FROM episode
