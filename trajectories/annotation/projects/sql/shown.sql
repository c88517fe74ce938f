-- Steps that act, with the hash of the page that they were shown, numbered at random within it.
(SELECT * FROM (
    SELECT *, row_number() OVER (PARTITION BY task_id, page
                                 ORDER BY md5(concat_ws(':', %(seed)s::text, 'pair', episode_id, step)), episode_id, step)
           AS place
    FROM (
        SELECT s.episode_id, s.index AS step, s.action, e.task_id,
               left(concat_ws(' · ', t.benchmark_id, t.key), 200) AS stratum,
               coalesce(nullif(s.observation_sha256, ''), md5(nullif(s.observation_text, ''))) AS page
        FROM trajectories_step s
        JOIN trajectories_episode e ON e.id = s.episode_id
        JOIN tasks_app_task t ON t.id = e.task_id
        WHERE s.episode_id = ANY(%(episodes)s::bigint[]) AND s.action IS NOT NULL) AS steps
    WHERE page IS NOT NULL) AS numbered
 WHERE place <= %(most)s)
