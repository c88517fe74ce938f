-- The page is cut first, as in rewards/sql/after.sql; those are due that the judge has not graded, of the runs that are
-- paid by it and with a verdict that counts now.
WITH page AS MATERIALIZED (
    SELECT v.created_at, v.episode_id AS id, v.run_id FROM trajectories_verdict v
    WHERE (v.created_at, v.episode_id) > (%(since)s, %(key)s) AND v.run_seq IS NOT NULL
        AND v.created_at < now() - make_interval(secs => %(age)s)
    ORDER BY v.created_at, v.episode_id LIMIT %(limit)s
)
SELECT p.created_at, p.id, p.run_id = ANY(%(runs)s) AND v.outcome = ANY(%(judged)s) AND NOT EXISTS (
    SELECT FROM trajectories_rewardcomponents c WHERE c.episode_id = p.id AND c.source_id = %(source)s)
FROM page p JOIN trajectories_episode e ON e.id = p.id JOIN trajectories_verdict v ON v.id = e.verdict_id
ORDER BY p.created_at, p.id
