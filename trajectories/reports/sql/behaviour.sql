-- Of the latest ended episodes, or of all where `latest` is null.
-- Guided episodes are not the policy's own work, and void ones say nothing about it.
SELECT e.arm, e.task_id, count(*), count(a.episode_id), {sums}
FROM (SELECT episode_id FROM trajectories_verdict WHERE run_id = %(run)s AND run_seq IS NOT NULL
    ORDER BY run_seq DESC LIMIT %(latest)s) l
JOIN trajectories_episode e ON e.id = l.episode_id
JOIN tasks_app_task t ON t.id = e.task_id
JOIN trajectories_verdict v ON v.id = e.verdict_id
LEFT JOIN trajectories_episodefacts a ON a.episode_id = e.id
LEFT JOIN trajectories_pageeventtally g ON g.episode_id = e.id
WHERE e.is_plain AND v.outcome <> 'void'
    AND (%(splits)s::text[] = '{}' OR t.split = ANY(%(splits)s::text[]))
GROUP BY e.arm, e.task_id ORDER BY e.arm, e.task_id
