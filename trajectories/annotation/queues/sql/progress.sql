-- Units of annotators: done, of these skipped in the newest version of their label, those done that count for a quota,
-- those that they could still be given, those that come beyond a quota (for training, or once more), and the time
-- that labels took, with the number of units for which it is known.
SELECT a.id,
       (SELECT count(*) FROM trajectories_annotationslot s WHERE s.annotator_id = a.id AND s.done_at IS NOT NULL),
       (SELECT count(*) FROM trajectories_label l
        WHERE l.annotator_id = a.id AND l.state = 'skipped' AND l.layer = 'blind' AND NOT EXISTS (
            SELECT FROM trajectories_label later
            WHERE later.unit_id = l.unit_id AND later.annotator_id = a.id AND later.layer = l.layer
              AND later.is_repeat = l.is_repeat AND later.version > l.version)),
       (SELECT count(*) FROM trajectories_annotationslot s JOIN trajectories_annotationunit u ON u.id = s.unit_id
        WHERE s.annotator_id = a.id AND s.done_at IS NOT NULL AND NOT s.is_repeat AND u.gold IS NULL),
       (SELECT count(DISTINCT s.unit_id) FROM trajectories_annotationslot s
        WHERE s.project_id = a.project_id AND s.done_at IS NULL AND NOT s.is_repeat
          AND (s.annotator_id = a.id OR (s.annotator_id IS NULL AND NOT EXISTS (
              SELECT FROM trajectories_annotationslot mine
              WHERE mine.annotator_id = a.id AND mine.unit_id = s.unit_id)))
          AND NOT EXISTS (
              SELECT FROM trajectories_annotationunit u
              WHERE u.project_id = a.project_id AND u.gold IS NOT NULL AND u.id = s.unit_id)),
       (SELECT count(*) FROM trajectories_annotationslot s
        WHERE s.annotator_id = a.id AND s.done_at IS NULL AND s.is_repeat)
       + (SELECT count(*) FROM trajectories_annotationunit u
          WHERE u.project_id = a.project_id AND u.gold IS NOT NULL AND NOT EXISTS (
              SELECT FROM trajectories_annotationslot s
              WHERE s.annotator_id = a.id AND s.unit_id = u.id AND s.done_at IS NOT NULL)
            AND NOT EXISTS (
              SELECT FROM trajectories_annotationunit part JOIN trajectories_annotationslot s ON s.unit_id = part.id
              JOIN trajectories_annotationproject p ON p.id = part.project_id
              WHERE part.project_id = u.project_id AND part.episode_id = u.episode_id AND part.step = u.step
                AND s.annotator_id = a.id AND s.view <> p.views->>0)),
       (SELECT coalesce(sum(l.active_ms), 0) FROM trajectories_label l
        WHERE l.annotator_id = a.id AND l.layer = 'blind' AND l.state = 'done'),
       (SELECT count(DISTINCT (l.unit_id, l.is_repeat)) FROM trajectories_label l
        WHERE l.annotator_id = a.id AND l.layer = 'blind' AND l.state = 'done' AND l.active_ms IS NOT NULL)
FROM trajectories_annotator a
WHERE a.id = ANY(%(annotators)s::bigint[])
