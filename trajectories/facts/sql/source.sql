SELECT json_build_object('episode', e.id, 'arm', e.arm, 'recording', e.recording,
    'channel', coalesce(u.channel, ''), 'answer', u.answer,
    'seen_until', greatest(e.opened_at,
        (SELECT s.created_at FROM trajectories_step s WHERE s.episode_id = e.id
            ORDER BY s.index DESC LIMIT 1),
        (SELECT g.last_at FROM trajectories_pageeventtally g WHERE g.episode_id = e.id)),
    'answered_in', (SELECT x.step FROM trajectories_siteevent x
        WHERE x.episode_id = e.id AND x.kind = 'answer_recorded' ORDER BY x.seq LIMIT 1),
    'steps', (SELECT coalesce(json_agg(json_build_object('index', s.index, 'thought', s.thought,
        'action', s.action, 'action_type', s.action_type, 'action_result', s.action_result,
        {observation},
        'observation_sha256', s.observation_sha256, 'screenshot', s.screenshot,
        'phash', coalesce(p.phash, ''), 'url', s.url, 'started_at', s.started_at,
        'duration_ms', s.duration_ms) ORDER BY s.index), '[]')
        FROM trajectories_step s LEFT JOIN trajectories_picture p ON p.sha256 = nullif(s.screenshot, '')
        {shown}
        WHERE s.episode_id = e.id{steps}),
    'events', (SELECT coalesce(json_agg(json_build_object('page', v.page, 'seq', v.seq, 'step', v.step,
        'kind', v.kind, 'data', v.data, 'at', v.received_at) ORDER BY v.received_at, v.page, v.seq), '[]')
        FROM ({events} LIMIT %(events_max)s) v))::text
FROM trajectories_episode e LEFT JOIN trajectories_submission u ON u.episode_id = e.id
WHERE e.id = ANY(%(ids)s)
