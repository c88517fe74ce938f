-- Without the large columns: a viewer fetches the step that it shows.
SELECT w.id, w.run_id, s.index, s.record
FROM ({watched}) w
LEFT JOIN unnest(%(marked)s::bigint[], %(marks)s::bigint[]) AS m(id, mark) ON m.id = w.id
CROSS JOIN LATERAL (
    SELECT index, json_build_object('index', index, 'thought_start', left(thought, {thought_chars}),
        'action', CASE WHEN octet_length(action::text) <= {action_bytes} THEN action
            ELSE jsonb_build_object('type', action_type) END,
        'action_result', nullif(action_result, ''), 'observation_kind', nullif(observation_kind, ''),
        'screenshot', nullif(screenshot, ''), 'actor', actor, 'policy_version', policy_version,
        'created_at', created_at)::text AS record
    FROM trajectories_step WHERE episode_id = w.id AND index > coalesce(m.mark, 0)
    ORDER BY index LIMIT {per_episode}) s
LIMIT {per_query}
