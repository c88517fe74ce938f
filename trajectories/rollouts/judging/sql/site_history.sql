-- The answer ends the episode: later events do not count. Page views are not read: they have an index without
-- them, whose condition is the constant.
SELECT t.payload::text, t.tags, e.arm, e.recording, coalesce((
    WITH {acted}
    SELECT json_agg(json_build_object('seq', x.seq, 'step', x.step, 'kind', x.kind, 'data', x.data,
        'is_without', {is_without}) ORDER BY x.seq)
    FROM trajectories_siteevent x
    WHERE x.episode_id = e.id AND x.kind <> '{page_served}' AND x.seq < coalesce((
        SELECT min(a.seq) FROM trajectories_siteevent a
        WHERE a.episode_id = e.id AND a.kind = '{answered}'), 2147483647)), '[]')::text
FROM trajectories_episode e JOIN tasks_app_task t ON t.id = e.task_id
WHERE e.id = %(episode)s
