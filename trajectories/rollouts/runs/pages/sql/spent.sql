-- What the latest ended episodes spent: steps and completion tokens, beside their budgets. Guided ones are left out.
-- Tokens are null where no step states them.
SELECT e.arm, v.outcome, u.steps, e.max_steps, u.tokens, e.token_budget
FROM (SELECT episode_id FROM trajectories_verdict WHERE run_id = %(run)s AND run_seq IS NOT NULL
    ORDER BY run_seq DESC LIMIT %(latest)s) l
JOIN trajectories_episode e ON e.id = l.episode_id
JOIN trajectories_verdict v ON v.id = e.verdict_id
CROSS JOIN LATERAL (
    SELECT count(*) AS steps, sum(CASE WHEN jsonb_typeof(s.more #> '{usage,completion}') = 'number'
        THEN (s.more #>> '{usage,completion}')::float8 END) AS tokens
    FROM trajectories_step s WHERE s.episode_id = e.id) u
WHERE e.is_plain
