-- Gives an annotator the first unit for training that they have not had, in a slot of their own, and not of a step that
-- they have seen in another view.
INSERT INTO trajectories_annotationslot (project_id, unit_id, position, is_repeat, view, annotator_id, reserved_until)
SELECT u.project_id, u.id, u.position, false, %(view)s, %(annotator)s,
       now() + %(minutes)s::int * interval '1 minute'
FROM trajectories_annotationunit u
WHERE u.project_id = %(project)s AND u.gold IS NOT NULL
  AND NOT EXISTS (
      SELECT FROM trajectories_annotationslot mine
      WHERE mine.annotator_id = %(annotator)s AND mine.unit_id = u.id)
  AND NOT EXISTS (
      SELECT FROM trajectories_annotationunit part
      JOIN trajectories_annotationslot mine ON mine.unit_id = part.id
      WHERE part.project_id = u.project_id AND part.episode_id = u.episode_id AND part.step = u.step
        AND mine.annotator_id = %(annotator)s AND mine.view <> %(view)s)
ORDER BY u.position, u.id
LIMIT 1
RETURNING id
