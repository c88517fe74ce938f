-- Draws candidates at random from each stratum, the same ones for the same seed, and shuffles them.
WITH chosen AS (
    SELECT * FROM unnest(%(strata)s::text[], %(drawn)s::int[], %(weights)s::float8[]) AS c(stratum, drawn, weight)
), candidates AS (
    {candidates}
), seeded AS (
    SELECT *, md5(concat_ws(':', %(seed)s::text, episode_id, step, other_episode_id, other_step)) AS draw FROM candidates
), ranked AS (
    SELECT *, row_number() OVER (
        PARTITION BY stratum ORDER BY draw, episode_id, step, other_episode_id, other_step) AS place
    FROM seeded
)
INSERT INTO trajectories_annotationunit
    (project_id, position, episode_id, step, other_episode_id, other_step, paragraph, begin, "end", stratum, weight)
SELECT %(project)s,
       row_number() OVER (ORDER BY md5('order:' || draw), episode_id, step, other_episode_id, other_step),
       episode_id, step, other_episode_id, other_step, 0, 0, length, stratum, weight
FROM ranked JOIN chosen USING (stratum)
WHERE place <= drawn
