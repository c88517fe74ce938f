-- All that learned rewards read of ended episodes. Neither golds nor verdicts nor what was submitted.
SELECT json_build_object('episode', e.id, 'item', e.task_id, 'project', r.project,
    'has_answer', EXISTS (SELECT FROM trajectories_submission u WHERE u.episode_id = e.id),
    'texts', (SELECT coalesce(json_agg(s.text ORDER BY s.index), '[]') FROM (
        SELECT s.index, left(coalesce(nullif(s.raw, ''), s.thought), %(chars)s) AS text
        FROM trajectories_step s WHERE s.episode_id = e.id AND s.actor = 'policy'
        ORDER BY s.index DESC LIMIT %(steps)s) s),
    'facts', (SELECT json_build_object({facts}) FROM trajectories_episodefacts f WHERE f.episode_id = e.id))::text
FROM trajectories_episode e JOIN trajectories_run r ON r.id = e.run_id
WHERE e.id = ANY(%(ids)s) AND e.finished_at IS NOT NULL
ORDER BY e.id
