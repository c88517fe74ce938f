-- Today's rules have said nothing, or nothing since the facts that they read.
NOT EXISTS (SELECT FROM trajectories_rewardcomponents c JOIN trajectories_rewardsource r ON r.id = c.source_id
    WHERE c.episode_id = e.id AND r.kind = 'rule' AND r.version = %(version)s
        AND (f.computed_at IS NULL OR c.computed_at > f.computed_at))
