-- The last step that somebody may have begun in an episode, and the last document that it was served. A page can name any
-- step of its own, so that those on their way are believed up to a bound only.
SELECT greatest(posted.index, least((SELECT coalesce(max(v.step), 0) FROM trajectories_siteevent v WHERE v.episode_id = e.id),
        posted.index + {in_flight_max})),
    (SELECT v.data->>'path' FROM trajectories_siteevent v
        WHERE v.episode_id = e.id AND v.kind = '{page_served}' AND v.data ? 'path' ORDER BY v.seq DESC LIMIT 1)
FROM trajectories_episode e CROSS JOIN LATERAL (
    SELECT greatest(e.begins_after, max(s.index)) AS index FROM trajectories_step s WHERE s.episode_id = e.id) posted
WHERE e.id = %(episode)s
