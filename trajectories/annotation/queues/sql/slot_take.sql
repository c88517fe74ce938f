-- Gives an annotator the next free slot at or behind a position, of a unit that they have not labelled, and of a step
-- that they have not seen in another view. Units for training have slots of their own (gold_take.sql).
-- Free are slots that nobody holds, and those whose reservation has run out. Who comes at the same time gets another.
WITH next AS (
    SELECT s.id
    FROM trajectories_annotationslot s
    WHERE s.project_id = %(project)s AND s.done_at IS NULL AND s.position >= %(position)s
      AND (s.annotator_id IS NULL OR s.reserved_until < now())
      AND NOT s.is_repeat AND s.public_id <> ALL(%(beside)s::uuid[])
      AND NOT EXISTS (
          SELECT FROM trajectories_annotationslot mine
          WHERE mine.annotator_id = %(annotator)s AND mine.unit_id = s.unit_id AND mine.id <> s.id)
      AND NOT EXISTS (
          SELECT FROM trajectories_annotationunit u
          JOIN trajectories_annotationunit part USING (project_id, episode_id, step)
          JOIN trajectories_annotationslot mine ON mine.unit_id = part.id
          WHERE u.id = s.unit_id AND part.id <> u.id AND mine.annotator_id = %(annotator)s AND mine.view <> s.view)
      AND NOT EXISTS (
          SELECT FROM trajectories_annotationunit u
          WHERE u.project_id = s.project_id AND u.gold IS NOT NULL AND u.id = s.unit_id)
    ORDER BY s.position, s.id
    LIMIT 1
    FOR UPDATE SKIP LOCKED
)
UPDATE trajectories_annotationslot s
SET annotator_id = %(annotator)s, reserved_until = now() + %(minutes)s::int * interval '1 minute'
FROM next
WHERE s.id = next.id
RETURNING s.id, s.position
