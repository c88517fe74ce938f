SELECT json_build_object('episode', e.id, 'arm', e.arm, 'recording', e.recording, 'payload', t.payload,
    'channel', coalesce(u.channel, ''), 'answer', u.answer,
    'seen_until', greatest(e.opened_at,
        (SELECT s.created_at FROM trajectories_step s WHERE s.episode_id = e.id
            ORDER BY s.index DESC LIMIT 1),
        (SELECT g.last_at FROM trajectories_pageeventtally g WHERE g.episode_id = e.id)),
    'answered_in', (SELECT x.step FROM trajectories_siteevent x
        WHERE x.episode_id = e.id AND x.kind = 'answer_recorded' ORDER BY x.seq LIMIT 1),
    'steps', (SELECT coalesce(json_agg(json_build_object('index', s.index, 'thought', s.thought,
        'message', coalesce(s.more->>'result_message', ''),
        'is_thought_hidden', coalesce(s.more->'thought_hidden' = 'true', false),
        'action', s.action, 'result', s.action_result,
        'target_path', coalesce(s.more->>'target_path', ''), 'observation', {observation}, 'shown', {hash},
        'is_observation_complete', length(s.observation_text) BETWEEN 1 AND %(observation_chars)s - 1,
        'picture', coalesce(nullif(p.phash, ''), nullif(s.screenshot, ''), s.observation_sha256),
        'url', s.url, 'started_at', s.started_at, 'duration_ms', coalesce(s.duration_ms, 0)) ORDER BY s.index),
        '[]')
        FROM trajectories_step s LEFT JOIN trajectories_picture p ON p.sha256 = nullif(s.screenshot, '')
        {shown}
        WHERE s.episode_id = e.id{steps}),
    'events', (SELECT coalesce(json_agg(json_build_object('page', v.page, 'step', v.step, 'kind', v.kind,
        'data', CASE jsonb_typeof(v.data) WHEN 'object' THEN v.data ELSE '{}' END, 'at', v.received_at) ORDER BY v.received_at, v.page, v.seq), '[]')
        FROM ({events} LIMIT %(events_max)s) v),
    'served', (SELECT coalesce(json_agg(json_build_object('kind', w.kind, 'step', w.step, 'data', w.data,
        'at', w.created_at) ORDER BY w.seq), '[]')
        FROM trajectories_siteevent w WHERE w.episode_id = e.id AND (w.kind IN ('pages_capped', 'tool_called') OR w.kind = 'page_served' AND w.data ? 'path'){served}))::text
FROM trajectories_episode e JOIN tasks_app_task t ON t.id = e.task_id
    LEFT JOIN trajectories_submission u ON u.episode_id = e.id
WHERE e.id = ANY(%(ids)s)
