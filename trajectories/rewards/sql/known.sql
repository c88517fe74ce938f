-- Of ended episodes what a payment needs: the verdict's reward, the last step, the trainer step of the policy
-- version (the version itself where nobody registered one), and the latest components of each source.
SELECT e.id, v.reward, (SELECT max(s.index) FROM trajectories_step s WHERE s.episode_id = e.id),
    coalesce(p.trainer_step, e.policy_version),
    (SELECT json_agg(json_build_object('kind', c.kind, 'name', c.name, 'version', c.version, 'values', c.values,
        'steps', c.steps)) FROM (
            SELECT DISTINCT ON (r.kind, r.name) r.kind, r.name, r.version, c.values, c.steps
            FROM trajectories_rewardcomponents c JOIN trajectories_rewardsource r ON r.id = c.source_id
            WHERE c.episode_id = e.id ORDER BY r.kind, r.name, c.computed_at DESC) c)::text
FROM trajectories_episode e
    JOIN trajectories_verdict v ON v.id = e.verdict_id
    LEFT JOIN trajectories_policyversion p ON p.run_id = e.run_id AND p.version = e.policy_version
WHERE e.id = ANY(%(ids)s)
