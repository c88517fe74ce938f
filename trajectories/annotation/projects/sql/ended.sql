-- Ended trajectories that have steps, numbered at random within their task.
(SELECT * FROM (
    SELECT e.id, e.task_id, e.group_id, e.run_id, e.arm, e.policy_version,
           left(concat_ws(' · ', t.benchmark_id, t.key), 200) AS stratum,
           row_number() OVER (PARTITION BY e.task_id ORDER BY md5(concat_ws(':', %(seed)s::text, 'pair', e.id)), e.id)
           AS place
    FROM trajectories_episode e
    JOIN tasks_app_task t ON t.id = e.task_id
    WHERE e.id = ANY(%(episodes)s::bigint[]) AND e.status <> 'open'
      AND EXISTS (SELECT FROM trajectories_step s WHERE s.episode_id = e.id)) AS numbered
 WHERE place <= %(most)s)
