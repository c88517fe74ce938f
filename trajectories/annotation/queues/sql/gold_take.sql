-- Gives an annotator the first unit for training that they have not had, in a slot of their own.
INSERT INTO trajectories_annotationslot (project_id, unit_id, position, is_repeat, view, annotator_id, reserved_until)
SELECT u.project_id, u.id, u.position, false, %(view)s, %(annotator)s,
       now() + %(minutes)s::int * interval '1 minute'
FROM trajectories_annotationunit u
WHERE u.project_id = %(project)s AND u.gold IS NOT NULL
  AND NOT EXISTS (
      SELECT FROM trajectories_annotationslot mine
      WHERE mine.annotator_id = %(annotator)s AND mine.unit_id = u.id)
ORDER BY u.position, u.id
LIMIT 1
RETURNING id
