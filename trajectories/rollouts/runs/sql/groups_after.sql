-- A group completes with the verdict of its last episode, which stores its position in the run's verdict stream.
-- Positions follow commits, so no group can complete before a position that was already read. Rejudgements have
-- no position. A group that is being refilled has no position either and is listed when it completes again.
-- Parameters: run, after, splits (empty: all), origin (empty: all), limit. Rows in order of completion; a single row without a
-- group if none has completed. The first column is the newest position that this statement saw.
WITH complete AS (
    SELECT g.id AS group_id, g.completed_seq AS place, g.task_id FROM trajectories_group g
    JOIN tasks_app_task t ON t.id = g.task_id
    WHERE g.run_id = %(run)s AND g.completed_seq > %(after)s
        AND (%(splits)s::text[] = '{}' OR t.split = ANY(%(splits)s::text[]))
        AND (%(origin)s = '' OR %(origin)s = (SELECT {origin} FROM trajectories_episode e WHERE e.group_id = g.id))
    ORDER BY g.completed_seq LIMIT %(limit)s
), versions AS (
    SELECT e.group_id, e.policy_version FROM trajectories_episode e JOIN complete c USING (group_id)
    UNION
    SELECT e.group_id, s.policy_version FROM trajectories_step s
    JOIN trajectories_episode e ON e.id = s.episode_id JOIN complete c USING (group_id)
), result AS (
    SELECT c.place, c.group_id, c.task_id, count(*) AS size,
        count(*) FILTER (WHERE v.outcome <> 'void') AS judged,
        count(*) FILTER (WHERE v.outcome = 'void') AS void, array_agg(v.reward ORDER BY e.sample_index) AS rewards,
        avg(v.reward) AS mean, stddev_samp(v.reward) AS std,
        (SELECT ARRAY[min(policy_version), max(policy_version)] FROM versions x
            WHERE x.group_id = c.group_id HAVING min(policy_version) IS NOT NULL) AS policy_version,
        count(*) FILTER (WHERE v.outcome <> 'void') > 1
            AND count(DISTINCT v.outcome) FILTER (WHERE v.outcome <> 'void') = 1 AS degenerate,
        {origin} AS origin
    FROM complete c
    JOIN trajectories_episode e ON e.group_id = c.group_id
    JOIN trajectories_verdict v ON v.id = e.verdict_id
    GROUP BY c.place, c.group_id, c.task_id
)
SELECT seen.place, result.* FROM (
    SELECT coalesce(max(count), 0) AS place FROM trajectories_verdictcounter WHERE run_id = %(run)s) seen
LEFT JOIN result ON true ORDER BY result.place
