-- Ended trajectories of the same task, two by two, in random order: samples of one group, or of different arms, runs
-- or policies. Of a task with many, those that are drawn first.
SELECT one.id AS episode_id, 0 AS step, other.id AS other_episode_id, 0 AS other_step,
       one.stratum, 0 AS length
FROM {ended} one
JOIN {ended} other ON other.task_id = one.task_id AND other.place > one.place
WHERE one.group_id = other.group_id
   OR (one.run_id, one.arm, one.policy_version) IS DISTINCT FROM (other.run_id, other.arm, other.policy_version)
