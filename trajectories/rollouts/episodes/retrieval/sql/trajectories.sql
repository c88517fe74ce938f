-- The last column is input of the milestones and is never sent out. In an unfinished episode, milestones would
-- tell an agent that it is on the right track.
SELECT e.id, {trajectory}::text,
    CASE WHEN t.kind = 'site' AND e.status = 'finished' THEN (
        SELECT json_build_object('tags', t.tags, 'answer', g.answer, 'extra', g.extra)::text
        FROM tasks_app_gold g WHERE g.task_id = t.id AND g.is_current)
    END
FROM trajectories_episode e
JOIN trajectories_run r ON r.id = e.run_id
JOIN tasks_app_task t ON t.id = e.task_id
LEFT JOIN trajectories_verdict v ON v.id = e.verdict_id
WHERE e.id = ANY(%(ids)s) AND (%(splits)s::text[] = '{}' OR t.split = ANY(%(splits)s::text[]))
    AND (%(project)s::text IS NULL OR r.project = %(project)s)
ORDER BY {order}
