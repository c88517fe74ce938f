-- Ended trajectories of the same task, two by two, in random order: samples of one group, or of different arms, runs
-- or policies. Of a task with many, those that are drawn first.
WITH ended AS (
    SELECT e.id, e.task_id, e.group_id, e.run_id, e.arm, e.policy_version,
           left(concat_ws(' · ', t.benchmark_id, t.key), 200) AS stratum,
           row_number() OVER (
               PARTITION BY e.task_id ORDER BY md5(concat_ws(':', %(seed)s::text, 'pair', e.id)), e.id) AS place
    FROM trajectories_episode e
    JOIN tasks_app_task t ON t.id = e.task_id
    WHERE e.id = ANY(%(episodes)s::bigint[]) AND e.status <> 'open'
      AND EXISTS (SELECT FROM trajectories_step s WHERE s.episode_id = e.id)
)
SELECT one.id AS episode_id, 0 AS step, other.id AS other_episode_id, 0 AS other_step, one.stratum, 0 AS length
FROM ended one
JOIN ended other ON other.task_id = one.task_id AND other.place > one.place AND other.place <= %(most)s
WHERE one.group_id = other.group_id
   OR (one.run_id, one.arm, one.policy_version) IS DISTINCT FROM (other.run_id, other.arm, other.policy_version)
