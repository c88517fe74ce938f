-- Steps of different trajectories that were shown the same page of the same task and act differently, two by two, in
-- random order. Of a page with many, those that are drawn first.
WITH shown AS (
    SELECT s.episode_id, s.index AS step, s.action, e.task_id,
           left(concat_ws(' · ', t.benchmark_id, t.key), 200) AS stratum,
           coalesce(nullif(s.observation_sha256, ''), md5(nullif(s.observation_text, ''))) AS page
    FROM trajectories_step s
    JOIN trajectories_episode e ON e.id = s.episode_id
    JOIN tasks_app_task t ON t.id = e.task_id
    WHERE s.episode_id = ANY(%(episodes)s::bigint[]) AND s.action IS NOT NULL
), numbered AS (
    SELECT *, row_number() OVER (
        PARTITION BY task_id, page
        ORDER BY md5(concat_ws(':', %(seed)s::text, 'pair', episode_id, step)), episode_id, step) AS place
    FROM shown
    WHERE page IS NOT NULL
)
SELECT one.episode_id, one.step, other.episode_id AS other_episode_id, other.step AS other_step,
       one.stratum, 0 AS length
FROM numbered one
JOIN numbered other ON other.task_id = one.task_id AND other.page = one.page
                   AND other.place > one.place AND other.place <= %(most)s
WHERE one.episode_id <> other.episode_id AND one.action IS DISTINCT FROM other.action
