-- What components are computed from, of ended episodes: one JSON text each.
SELECT json_build_object('episode', e.id, 'has_facts', ef.episode_id IS NOT NULL, 'arm', e.arm,
    'recording', e.recording, 'variation', e.variation, 'outcome', v.outcome, 'benchmark', t.benchmark_id, 'tags', t.tags,
    'kind', t.kind, 'payload', t.payload, 'gold', g.answer, 'accepted', coalesce(g.accepted, '{}'), 'extra', coalesce(g.extra, '{}'), 'submitted', u.answer,
    'steps', (SELECT coalesce(json_agg(json_build_object('index', s.index, 'actor', s.actor, 'type', s.action_type,
        'is_readable', s.action IS NOT NULL AND s.parse_error = '', 'result', s.action_result,
        'check', coalesce(f.action_check, 'unknown'), 'repeats', f.repeats,
        'page', coalesce(nullif(s.url, ''), f.place, ''),
        'completion', (s.more->'usage'->>'completion')::bigint,
        'thought', CASE WHEN NOT t.tags::text[] && %(thought_tags)s::text[] THEN ''
            WHEN s.more->'thought_hidden' = 'true' THEN NULL ELSE s.thought END) ORDER BY s.index), '[]')
        FROM trajectories_step s
        LEFT JOIN trajectories_stepfacts f ON f.episode_id = s.episode_id AND f.index = s.index
        WHERE s.episode_id = e.id),
    'events', (SELECT coalesce(json_agg(json_build_object('seq', w.seq, 'step', w.step, 'kind', w.kind,
        'data', w.data) ORDER BY w.seq), '[]')
        FROM trajectories_siteevent w WHERE w.episode_id = e.id AND t.kind IN ('{site}', '{tools}')),
    -- A page that is loaded anew has nothing marked, but for the one that confirms an answer, which has no choices.
    'marks', (SELECT coalesce(json_agg(json_build_object('step', p.step,
        'label', CASE p.kind WHEN 'input' THEN p.data->>'value' END) ORDER BY p.received_at, p.page, p.seq), '[]')
        FROM trajectories_pageevent p WHERE p.episode_id = e.id AND t.kind = '{choice}'
            AND (p.kind = 'input' AND p.data->>'role' = 'radio' AND p.data->'checked' = 'true'
                OR p.kind = 'load' AND p.data->>'path' IS DISTINCT FROM 'done')))::text
FROM trajectories_episode e
    JOIN trajectories_verdict v ON v.id = e.verdict_id
    LEFT JOIN trajectories_episodefacts ef ON ef.episode_id = e.id
    JOIN tasks_app_task t ON t.id = e.task_id
    LEFT JOIN tasks_app_gold g ON g.task_id = t.id AND g.is_current
    LEFT JOIN trajectories_submission u ON u.episode_id = e.id
WHERE e.id = ANY(%(ids)s)
