-- Draws steps with a thought at random from each stratum, the same ones for the same seed, and shuffles them.
WITH chosen AS (
    SELECT * FROM unnest(%(strata)s::text[], %(drawn)s::int[], %(weights)s::float8[]) AS c(stratum, drawn, weight)
), candidates AS (
    SELECT s.episode_id, s.index, {stratum} AS stratum, char_length(s.thought) AS length,
           md5(concat_ws(':', %(seed)s::text, s.episode_id, s.index)) AS draw
    FROM trajectories_step s
    JOIN trajectories_episode e ON e.id = s.episode_id
    JOIN tasks_app_task t ON t.id = e.task_id
    LEFT JOIN trajectories_verdict v ON v.id = e.verdict_id
    WHERE s.episode_id = ANY(%(episodes)s::bigint[]) AND s.thought ~ '\S'
), ranked AS (
    SELECT *, row_number() OVER (PARTITION BY stratum ORDER BY draw, episode_id, index) AS place FROM candidates
)
INSERT INTO trajectories_annotationunit
    (project_id, position, episode_id, step, paragraph, begin, "end", stratum, weight)
SELECT %(project)s, row_number() OVER (ORDER BY md5('order:' || draw), episode_id, index),
       episode_id, index, 0, 0, length, stratum, weight
FROM ranked JOIN chosen USING (stratum)
WHERE place <= drawn
