-- Units of annotators: done, of these skipped in the newest version of their label, and those they could still be given.
SELECT a.id,
       (SELECT count(*) FROM trajectories_annotationslot s WHERE s.annotator_id = a.id AND s.done_at IS NOT NULL),
       (SELECT count(*) FROM trajectories_label l
        WHERE l.annotator_id = a.id AND l.state = 'skipped' AND NOT EXISTS (
            SELECT FROM trajectories_label later
            WHERE later.unit_id = l.unit_id AND later.annotator_id = a.id AND later.layer = l.layer
              AND later.is_repeat = l.is_repeat AND later.version > l.version)),
       (SELECT count(DISTINCT s.unit_id) FROM trajectories_annotationslot s
        WHERE s.project_id = a.project_id AND s.done_at IS NULL
          AND (s.annotator_id = a.id OR (s.annotator_id IS NULL AND NOT EXISTS (
              SELECT FROM trajectories_annotationslot mine
              WHERE mine.annotator_id = a.id AND mine.unit_id = s.unit_id))))
FROM trajectories_annotator a
WHERE a.id = ANY(%(annotators)s::bigint[])
