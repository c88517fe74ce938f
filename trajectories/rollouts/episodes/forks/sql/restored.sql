-- The site events that a fork has inherited, and whether something of its own is there already.
SELECT
    (SELECT coalesce(json_agg(json_build_object('seq', v.seq, 'step', coalesce(v.step, 0), 'kind', v.kind,
        'path', v.data->>'path') ORDER BY v.seq), '[]')::text
     FROM trajectories_siteevent v WHERE v.episode_id = e.id AND v.seq <= e.inherited_events),
    EXISTS (SELECT FROM trajectories_siteevent v WHERE v.episode_id = e.id AND v.seq > e.inherited_events)
        OR EXISTS (SELECT FROM trajectories_step s WHERE s.episode_id = e.id)
FROM trajectories_episode e WHERE e.id = %(episode)s
