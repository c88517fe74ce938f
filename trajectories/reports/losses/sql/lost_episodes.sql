-- What the rules read of some episodes: verdict, question, answer, and of each step its thought and what it observed.
SELECT json_build_object('episode', e.id, 'arm', e.arm, 'reason', v.reason, 'kind', t.kind, 'payload', t.payload,
       'variation', e.variation, 'answer', u.answer,
       'steps', (SELECT coalesce(json_agg(json_build_array(left(s.thought, %(chars)s), left(s.observation_text, %(chars)s),
                        s.observation_kind) ORDER BY s.index), '[]')
                 FROM trajectories_step s WHERE s.episode_id = e.id),
       'unread', (SELECT count(*) FROM trajectories_step s
                  WHERE s.episode_id = e.id AND s.action_result = 'invalid' AND s.more->>'finish_reason' IS DISTINCT FROM 'length'),
       'repeats', (SELECT count(f.repeats) FROM trajectories_stepfacts f WHERE f.episode_id = e.id))::text
FROM trajectories_episode e
JOIN trajectories_verdict v ON v.id = e.verdict_id
JOIN tasks_app_task t ON t.id = e.task_id
LEFT JOIN trajectories_submission u ON u.episode_id = e.id
WHERE e.id = ANY(%(ids)s)
