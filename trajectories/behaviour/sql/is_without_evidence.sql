-- For site event x of episode e: true without evidence, false with it, null if not applicable or unknown.
CASE WHEN x.kind = ANY(%(changes)s) AND e.recording <> 'off'
    AND x.created_at <= coalesce((SELECT at FROM cap), 'infinity')
THEN x.seq < coalesce((SELECT seq FROM served), 2147483647) OR NOT EXISTS (
    SELECT FROM acts
    WHERE acts.step = x.step
        OR abs(extract(epoch FROM acts.received_at - x.created_at)) <= %(within)s)
END
