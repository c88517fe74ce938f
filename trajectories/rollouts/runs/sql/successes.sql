-- A run's plain successes, the newest first. Their age is the place of their ending in the run's verdict stream, which a
-- rejudgement does not move. Only places from `lowest` on are read, so that a run without successes costs no more.
-- Parameters: run, before, lowest, limit, tasks (empty: all), arm (empty: all but `probes`), version_min (null: any),
-- splits (empty: all), is_changed. Rows: place, episode, task, group, arm, policy version, the time of its ending, and its
-- steps; with `is_changed` without those after which the screen was as before. The last step stays, and so does one
-- without a screen.
WITH success AS MATERIALIZED (
    SELECT ended.run_seq AS place, e.id, e.task_id, e.group_id, e.arm, e.policy_version, e.finished_at
    FROM trajectories_verdict ended
    JOIN trajectories_episode e ON e.id = ended.episode_id
    JOIN trajectories_verdict v ON v.id = e.verdict_id AND v.outcome = 'correct'
    JOIN tasks_app_task t ON t.id = e.task_id
    WHERE ended.run_id = %(run)s AND ended.run_seq < %(before)s AND ended.run_seq >= %(lowest)s AND e.is_plain
        AND (%(tasks)s::bigint[] = '{}' OR e.task_id = ANY(%(tasks)s::bigint[]))
        AND CASE %(arm)s::text WHEN '' THEN e.arm <> ALL(%(probes)s::text[]) ELSE e.arm = %(arm)s::text END
        AND (%(version_min)s::bigint IS NULL OR e.policy_version >= %(version_min)s::bigint)
        AND (%(splits)s::text[] = '{}' OR t.split = ANY(%(splits)s::text[]))
        AND NOT EXISTS (
            SELECT FROM trajectories_pruning p WHERE p.episode_id = e.id AND p.screenshots_at IS NOT NULL)
    ORDER BY ended.run_seq DESC LIMIT %(limit)s
)
SELECT success.*, steps.total, steps.kept
FROM success CROSS JOIN LATERAL (
    SELECT count(*)::int AS total,
        coalesce(array_agg(index ORDER BY index) FILTER (
            WHERE NOT %(is_changed)s OR next IS NULL OR screen = ARRAY['', ''] OR screen <> next), '{}') AS kept
    FROM (
        SELECT s.index, seen.screen, lead(seen.screen) OVER (ORDER BY s.index) AS next
        FROM trajectories_step s
        CROSS JOIN LATERAL (SELECT ARRAY[s.observation_sha256, s.screenshot]::text[] AS screen) seen
        WHERE s.episode_id = success.id
    ) screens
) steps
ORDER BY success.place DESC
