-- Every blob that a row names: of steps, of checks of replays, and of tasks (their pictures). `excluded` holds
-- episodes that a rehearsal takes for pruned.
INSERT INTO blob_names
SELECT s.screenshot FROM trajectories_step s LEFT JOIN trajectories_pruning p USING (episode_id)
WHERE s.screenshot <> '' AND p.screenshots_at IS NULL
    AND NOT EXISTS (SELECT FROM excluded x WHERE x.episode_id = s.episode_id AND x.has_screenshots)
UNION SELECT s.observation_sha256 FROM trajectories_step s WHERE s.observation_sha256 <> ''
    AND NOT EXISTS (SELECT FROM excluded x WHERE x.episode_id = s.episode_id AND x.has_row)
UNION SELECT n.name FROM trajectories_step s
    CROSS JOIN LATERAL unnest(ARRAY[{more}]) AS n(name)
WHERE n.name IS NOT NULL
    AND NOT EXISTS (SELECT FROM excluded x WHERE x.episode_id = s.episode_id AND x.has_row)
UNION SELECT n.name FROM trajectories_fidelity f LEFT JOIN trajectories_pruning p USING (episode_id)
    CROSS JOIN LATERAL unnest(ARRAY[f.replay, f.difference]) AS n(name)
WHERE n.name <> '' AND p.screenshots_at IS NULL AND p.recordings_at IS NULL
    AND NOT EXISTS (SELECT FROM excluded x WHERE x.episode_id = f.episode_id)
UNION SELECT q.sha256 FROM tasks_app_questionpicture q
UNION SELECT e.variation->'picture'->>'sha256' FROM trajectories_episode e WHERE e.variation ? 'picture'
UNION SELECT m[1] FROM tasks_app_task t
    CROSS JOIN LATERAL regexp_matches(t.payload::text, '"([0-9a-f]{64})"', 'g') AS m
