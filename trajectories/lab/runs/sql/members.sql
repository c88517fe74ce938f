-- Arms of runs with judged tasks that the run has judged too: how many they share. From sums, so it costs what the
-- tasks do. Parameters: run, and the runs to look at.
SELECT o.run_id, o.part, count(*) FROM trajectories_tasksum o
JOIN trajectories_tasksum s ON s.run_id = %(run)s AND s.scope = 'run' AND s.part = '' AND s.task_id = o.task_id
WHERE o.run_id = ANY(%(runs)s) AND o.scope = 'arm' AND o.judged > 0 AND s.judged > 0
GROUP BY o.run_id, o.part
