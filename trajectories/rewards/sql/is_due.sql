-- Today's rules, or a learned model of the run's project, have said nothing, or nothing since the facts that they read.
(NOT EXISTS (SELECT FROM trajectories_rewardcomponents c JOIN trajectories_rewardsource r ON r.id = c.source_id
    WHERE c.episode_id = e.id AND r.kind = 'rule' AND r.version = %(version)s
        AND (f.computed_at IS NULL OR c.computed_at > f.computed_at))
OR EXISTS (SELECT FROM trajectories_run u JOIN trajectories_rewardmodel m ON m.project = u.project
    WHERE u.id = e.run_id AND m.features = %(features)s AND NOT EXISTS (
        SELECT FROM trajectories_rewardcomponents c JOIN trajectories_rewardsource r ON r.id = c.source_id
        WHERE c.episode_id = e.id AND r.kind = 'learned' AND r.version = m.sha256
            AND (f.computed_at IS NULL OR c.computed_at > f.computed_at))))
