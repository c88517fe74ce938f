-- A slot for each person who is to label a unit in a view: several for the share that overlaps, whole steps at a time.
-- Which view comes first differs from step to step, so that who is fast does not see one of them more than others.
WITH steps AS (
    SELECT position, row_number() OVER (ORDER BY md5(concat_ws(':', %(seed)s::text, 'overlap', position))) AS place,
           count(*) OVER () AS steps
    FROM (SELECT DISTINCT position FROM trajectories_annotationunit WHERE project_id = %(project)s) AS places
)
INSERT INTO trajectories_annotationslot (project_id, unit_id, position, is_repeat, view)
SELECT u.project_id, u.id, u.position, false, view
FROM trajectories_annotationunit u
JOIN steps USING (position)
CROSS JOIN unnest(%(views)s::text[]) AS view
CROSS JOIN LATERAL generate_series(
    1, CASE WHEN place <= ceil(%(share)s::float8 * steps) THEN %(people)s::int ELSE 1 END) AS person
WHERE u.project_id = %(project)s
ORDER BY u.position, u.paragraph, md5(concat_ws(':', %(seed)s::text, 'view', u.position, view, person))
