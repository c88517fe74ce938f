{lineage}
SELECT s.index, s.action::text, s.action_result, s.more->>'result_message', s.url, s.observation_kind,
    CASE WHEN s.observation_text <> '' THEN encode(sha256(convert_to(s.observation_text, 'UTF8')), 'hex')
        ELSE s.observation_sha256 END,
    s.screenshot, coalesce(s.more->>'element_ids', '')
FROM line l JOIN trajectories_step s ON s.episode_id = l.id AND s.index BETWEEN l.first AND l.last
ORDER BY s.index
