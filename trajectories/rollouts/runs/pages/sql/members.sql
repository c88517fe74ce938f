-- Arms of runs with judged tasks that the run has judged too: how many they share. From sums, so it costs what the
-- tasks do. Parameters: run, and the runs to look at.
-- IS TRUE has the run's tasks hashed once: while statistics lag behind a run, a join would compare each with each.
SELECT run_id, part, count(*) FROM trajectories_tasksum
WHERE run_id = ANY(%(runs)s) AND scope = 'arm' AND judged > 0 AND (task_id IN (
    SELECT task_id FROM trajectories_tasksum
    WHERE run_id = %(run)s AND scope = 'run' AND part = '' AND judged > 0)) IS TRUE
GROUP BY run_id, part
