-- Episodes that a model may learn from, the newest first, with what their verdict says: played by the policy alone from
-- start to answer, on tasks for training. {training} is the pattern of their splits.
SELECT e.id, CASE v.outcome WHEN 'correct' THEN true WHEN 'incorrect' THEN false END, t.benchmark_id, t.tags
FROM trajectories_episode e
    JOIN trajectories_run r ON r.id = e.run_id
    JOIN trajectories_verdict v ON v.id = e.verdict_id
    JOIN tasks_app_task t ON t.id = e.task_id
WHERE r.project = %(project)s AND e.is_plain AND t.split ~ '{training}'
    AND (e.run_id = ANY(%(runs)s::bigint[]) OR cardinality(%(runs)s::bigint[]) = 0 AND NOT r.simulated)
    AND (v.outcome <> 'void' OR e.id = ANY(%(people)s::bigint[]))
    AND EXISTS (SELECT FROM trajectories_submission u WHERE u.episode_id = e.id)
    AND EXISTS (SELECT FROM trajectories_step s WHERE s.episode_id = e.id AND s.actor = 'policy')
ORDER BY e.id DESC LIMIT %(limit)s
