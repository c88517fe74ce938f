-- The arms and benchmarks of runs: of what was judged, from the sums, and of what is open.
SELECT r.id,
    ARRAY(
        SELECT d.arm FROM trajectories_endingsum d WHERE d.run_id = r.id AND d.episodes > 0
        UNION
        SELECT g.arm FROM trajectories_group g WHERE g.run_id = r.id AND g.completed_seq IS NULL
        ORDER BY 1
    ),
    ARRAY(
        SELECT t.benchmark_id FROM trajectories_tasksum s JOIN tasks_app_task t ON t.id = s.task_id
        WHERE s.run_id = r.id AND s.scope = 'run'
        UNION
        SELECT t.benchmark_id FROM trajectories_group g JOIN tasks_app_task t ON t.id = g.task_id
        WHERE g.run_id = r.id AND g.completed_seq IS NULL
        ORDER BY 1
    )
FROM unnest(%(runs)s::bigint[]) AS r(id)
