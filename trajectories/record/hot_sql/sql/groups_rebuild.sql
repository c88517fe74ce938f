-- Rebuilds the state of groups from their episodes. Second verdicts have no number in the run's stream, so the newest
-- number, not the current verdict's, says when a group was complete.
UPDATE trajectories_group g SET size = x.size, ended = x.ended,
    completed_seq = CASE WHEN x.ended = x.size THEN x.newest END
FROM (
    SELECT e.group_id, count(*) AS size, count(e.verdict_id) AS ended, max((
        SELECT max(v.run_seq) FROM trajectories_verdict v WHERE v.episode_id = e.id)) AS newest
    FROM trajectories_episode e WHERE e.run_id = %(run)s GROUP BY e.group_id) x
WHERE g.id = x.group_id
