-- The newest judged episodes of the tasks of a stage, up to a place in the run's verdict stream: those that
-- results_count.sql counts. Only so many verdicts are looked at: a stage may have none. OFFSET 0 keeps the planner from
-- reading all tasks or all episodes for a few.
SELECT v.episode_id FROM (
    SELECT episode_id, run_seq FROM trajectories_verdict
    WHERE run_id = %(run)s AND run_seq <= %(upto)s AND outcome <> 'void'
    ORDER BY run_seq DESC LIMIT %(scanned)s) v
CROSS JOIN LATERAL (
    SELECT task_id, is_plain, arm FROM trajectories_episode WHERE id = v.episode_id OFFSET 0) e
CROSS JOIN LATERAL (SELECT tags FROM tasks_app_task WHERE id = e.task_id OFFSET 0) t
WHERE e.is_plain AND e.arm <> ALL(%(probes)s) AND %(tag)s::varchar = ANY(t.tags)
ORDER BY v.run_seq DESC LIMIT %(window)s
