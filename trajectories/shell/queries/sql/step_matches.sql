-- Plain, case-insensitive substrings. Lowering and pattern matching are slow: texts are lowered once
-- (OFFSET 0), and nearly every token in a text is the episode's own, known from an address. Only texts that
-- hold the query, or may hold a piece of the mask, are masked.
SELECT m.index, m.in_thought, m.in_action, m.in_raw, m.in_tree, m.in_url
FROM trajectories_step s CROSS JOIN LATERAL (
    SELECT texts.index, {thought} AS in_thought, {action} AS in_action, {raw} AS in_raw, {tree} AS in_tree,
        {url} AS in_url
    FROM (SELECT s.index, lower(s.thought) AS thought, lower(s.action::text) AS action, lower(s.raw) AS raw,
        lower(s.observation_text) AS tree, lower(s.url) AS url OFFSET 0) texts
    OFFSET 0
) m
WHERE s.episode_id = %(episode)s AND (m.in_thought OR m.in_action OR m.in_raw OR m.in_tree OR m.in_url)
ORDER BY s.index LIMIT %(limit)s
