-- Steps of different trajectories that were shown the same page of the same task and act differently, two by two, in
-- random order. Of a page with many, those that are drawn first.
SELECT one.episode_id, one.step, other.episode_id AS other_episode_id, other.step AS other_step,
       one.stratum, 0 AS length
FROM {shown} one
JOIN {shown} other ON other.task_id = one.task_id AND other.page = one.page AND other.place > one.place
WHERE one.episode_id <> other.episode_id AND one.action IS DISTINCT FROM other.action
