-- The success that takes a failure's place in each of some completed groups, as the store was when the group
-- completed: whatever has ended since does not count, so that the answer stays the same. Only the newest `size`
-- plain successes of the group's task and arm are in the store. The sums tell without reading episodes whether a task
-- was ever solved. Its ending's place in the verdict stream is a success's age; a rejudgement has none.
-- Parameters: run, groups (ids), size, rule, max_age (null: any), std_below, mean_below. Rows: group, its episodes and
-- their rewards by sample index, and the success's episode and policy version.
WITH mostly_wrong AS MATERIALIZED (
    SELECT g.id, g.task_id, g.arm, g.policy_version, g.completed_seq,
        array_agg(e.id ORDER BY e.sample_index) AS episodes,
        array_agg(v.reward ORDER BY e.sample_index) AS rewards
    FROM trajectories_group g
    JOIN trajectories_episode e ON e.group_id = g.id
    JOIN trajectories_verdict v ON v.id = e.verdict_id
    WHERE g.id = ANY(%(groups)s::bigint[]) AND g.completed_seq IS NOT NULL
    GROUP BY g.id
    HAVING bool_and(e.is_plain) AND count(*) FILTER (WHERE v.outcome <> 'void') > 1
        AND bool_or(v.outcome = 'incorrect')
        AND stddev_samp(v.reward) < %(std_below)s AND avg(v.reward) < %(mean_below)s
)
SELECT g.id, g.episodes, g.rewards, success.id, success.policy_version
FROM mostly_wrong g
JOIN trajectories_tasksum s
    ON s.run_id = %(run)s AND s.scope = 'arm' AND s.part = g.arm AND s.task_id = g.task_id AND s.correct > 0
CROSS JOIN LATERAL (
    SELECT stored.* FROM (
        SELECT e.id, e.policy_version, ended.run_seq
        FROM trajectories_episode e
        JOIN trajectories_verdict v ON v.id = e.verdict_id AND v.outcome = 'correct'
        JOIN trajectories_verdict ended ON ended.episode_id = e.id AND ended.run_seq < g.completed_seq
        WHERE e.task_id = g.task_id AND e.run_id = %(run)s AND e.arm = g.arm AND e.is_plain
            AND e.group_id <> g.id
            AND NOT EXISTS (
                SELECT FROM trajectories_pruning p WHERE p.episode_id = e.id AND p.screenshots_at IS NOT NULL)
            AND (%(max_age)s::int IS NULL OR e.policy_version >= g.policy_version - %(max_age)s::int)
        ORDER BY ended.run_seq DESC LIMIT %(size)s
    ) stored
    ORDER BY
        CASE WHEN %(rule)s = 'shortest'
            THEN (SELECT count(*) FROM trajectories_step WHERE episode_id = stored.id) END,
        CASE WHEN %(rule)s = 'random' THEN md5(g.id || '/' || stored.id) END,
        stored.run_seq DESC
    LIMIT 1
) success
