{lineage}
SELECT s.index, s.raw, s.observation_kind, s.observation_text, s.screenshot, s.action_result,
    s.more->>'result_message'
FROM line l JOIN trajectories_step s ON s.episode_id = l.id AND s.index BETWEEN l.first AND l.last
ORDER BY s.index
