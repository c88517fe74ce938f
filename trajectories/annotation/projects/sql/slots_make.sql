-- A slot for each person who is to label a unit: several for the share that overlaps, whole steps at a time.
WITH steps AS (
    SELECT position, row_number() OVER (ORDER BY md5(concat_ws(':', %(seed)s::text, 'overlap', position))) AS place,
           count(*) OVER () AS steps
    FROM (SELECT DISTINCT position FROM trajectories_annotationunit WHERE project_id = %(project)s) AS places
)
INSERT INTO trajectories_annotationslot (project_id, unit_id, position, is_repeat)
SELECT u.project_id, u.id, u.position, false
FROM trajectories_annotationunit u
JOIN steps USING (position)
CROSS JOIN LATERAL generate_series(
    1, CASE WHEN place <= ceil(%(share)s::float8 * steps) THEN %(people)s::int ELSE 1 END)
WHERE u.project_id = %(project)s
ORDER BY u.position, u.paragraph
