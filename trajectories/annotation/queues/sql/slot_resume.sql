-- The first unit that an annotator has begun and not finished, and that is theirs still; else a repeat that is due.
UPDATE trajectories_annotationslot s
SET reserved_until = now() + %(minutes)s::int * interval '1 minute'
WHERE s.id = (
    SELECT id FROM trajectories_annotationslot
    WHERE annotator_id = %(annotator)s AND done_at IS NULL AND public_id <> ALL(%(beside)s::uuid[])
      AND (reserved_until IS NOT NULL OR (is_repeat AND position <= %(repeats_until)s))
    ORDER BY reserved_until IS NULL, position, id
    LIMIT 1
    FOR UPDATE)
RETURNING s.id
