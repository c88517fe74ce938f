-- Units of a project whose newest blind labels differ, the most disputed first. Compared are people who saw the
-- same of the unit, on the fields that both answered: 1 if the answers differ, for sets the distance MASI (its Python
-- is agreement/coefficients.py). The dispute over a field is the mean of its pairs, that over the unit the mean of its fields.
WITH newest AS (
    SELECT DISTINCT ON (l.unit_id, l.annotator_id, l.view)
           l.unit_id, l.annotator_id, l.view, l.state, l.values
    FROM trajectories_label l
    JOIN trajectories_annotationunit u ON u.id = l.unit_id
    JOIN trajectories_annotator a ON a.id = l.annotator_id
    WHERE u.project_id = %(project)s AND u.gold IS NULL AND a.kind = 'person'
      AND l.layer = 'blind' AND NOT l.is_repeat AND l.codebook_id = %(codebook)s
      AND (%(unit)s::bigint IS NULL OR l.unit_id = %(unit)s)
    ORDER BY l.unit_id, l.annotator_id, l.view, l.version DESC, l.id DESC
),
answered AS (
    SELECT *, count(*) OVER (PARTITION BY unit_id) AS labels FROM newest WHERE state = 'done'
),
-- No table is joined with itself: its size is guessed too low, and every row would be held against every other.
alike AS (
    SELECT unit_id, array_agg(values ORDER BY annotator_id) AS said, max(labels) AS labels
    FROM answered GROUP BY unit_id, view HAVING count(*) > 1
),
pair AS (
    SELECT unit_id, labels, f.key AS field, f.value AS a, said[other] -> f.key AS b
    FROM alike
    CROSS JOIN LATERAL generate_series(1, cardinality(said) - 1) one
    CROSS JOIN LATERAL generate_series(one + 1, cardinality(said)) other
    CROSS JOIN LATERAL jsonb_each(said[one]) f
    WHERE said[other] ? f.key
),
distance AS (
    SELECT unit_id, labels, field,
           CASE WHEN a = b THEN 0.0
                WHEN jsonb_typeof(a) <> 'array' OR jsonb_typeof(b) <> 'array' THEN 1.0
                WHEN a @> b AND b @> a THEN 0.0
                ELSE 1.0 - masi.common::float8 / (jsonb_array_length(a) + jsonb_array_length(b) - masi.common)
                           * CASE WHEN a @> b OR b @> a THEN 2.0 / 3 ELSE 1.0 / 3 END
           END AS apart
    FROM pair
    CROSS JOIN LATERAL (
        SELECT count(*) AS common
        FROM jsonb_array_elements(CASE WHEN jsonb_typeof(a) = 'array' THEN a ELSE '[]' END) e WHERE b @> e
    ) masi
),
field AS (
    SELECT unit_id, field, avg(apart) AS apart, max(labels) AS labels FROM distance GROUP BY unit_id, field
),
unit AS (
    SELECT unit_id, avg(apart) AS dispute, max(labels) AS labels, array_agg(field ORDER BY field) FILTER (WHERE apart > 0) AS fields
    FROM field GROUP BY unit_id HAVING max(apart) > 0
)
SELECT unit.unit_id, u.position, u.paragraph, unit.dispute::float8, unit.fields,
       unit.labels,
       coalesce(settled.reason, ''), settled.id IS NOT NULL
FROM unit
JOIN trajectories_annotationunit u ON u.id = unit.unit_id
LEFT JOIN LATERAL (
    SELECT l.id, l.reason FROM trajectories_label l
    WHERE l.unit_id = u.id AND l.layer = 'adjudicated'
    ORDER BY l.version DESC, l.id DESC LIMIT 1
) settled ON true
ORDER BY unit.dispute DESC, u.position, unit.unit_id
