WITH changes AS (
    INSERT INTO trajectories_versionsum AS s (run_id, arm, policy_version, changes)
    SELECT run_id, arm, policy_version, 1 FROM trajectories_episode
    WHERE id = %(episode)s AND policy_version IS NOT NULL
    ON CONFLICT (run_id, arm, policy_version) DO UPDATE SET changes = s.changes + 1
)
INSERT INTO trajectories_rewardcomponents (episode_id, source_id, computed_at, values, steps)
SELECT %(episode)s, %(source)s, clock_timestamp(), %(values)s::jsonb, %(steps)s::jsonb
