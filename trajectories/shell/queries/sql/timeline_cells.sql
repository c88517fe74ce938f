-- The action stays in the database: what was typed may be a megabyte.
SELECT s.index, s.action_type, s.action_known, s.action_result, s.parse_error <> '' AS is_unread,
    left(s.action->>(%(objects)s::jsonb->>s.action_type), %(words)s) AS what,
    coalesce(nullif(f.target, ''), left(s.action->>'target', %(words)s)) AS target,
    s.duration_ms,
    CASE WHEN EXISTS (SELECT 1 FROM trajectories_blob b WHERE b.sha256 = s.screenshot)
        AND NOT EXISTS (SELECT 1 FROM trajectories_picture p
            WHERE p.sha256 = s.screenshot AND p.state = 'unreadable')
        THEN s.screenshot ELSE '' END AS screenshot,
    coalesce(f.is_page_change, s.url <> '' AND s.url <> lag(s.url) OVER (ORDER BY s.index)) AS is_page_change,
    f.repeats, coalesce(f.action_check, '') AS action_check, f.index IS NULL AS is_provisional
FROM trajectories_step s
LEFT JOIN trajectories_stepfacts f ON f.episode_id = s.episode_id AND f.index = s.index
WHERE s.episode_id = %(episode)s AND s.index BETWEEN %(first)s - 1 AND %(last)s
ORDER BY s.index
