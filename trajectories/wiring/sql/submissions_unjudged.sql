-- By state: never sent, in the queue, or being judged; and the age in seconds of the oldest. The limit bounds the cost.
SELECT state, count(*), max(age) FROM (
    SELECT CASE WHEN claimed_at > 'epoch' THEN 'claimed' WHEN sent_at IS NOT NULL THEN 'sent' ELSE 'new' END AS state,
        extract(epoch FROM clock_timestamp() - received_at)::float8 AS age
    FROM trajectories_submission WHERE judged_at IS NULL LIMIT %(limit)s) AS unjudged
GROUP BY state
