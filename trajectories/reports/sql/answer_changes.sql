-- By arm: a run's judged episodes by what checking did to the first answer. Without a metric there was no second answer,
-- or the first one could not be judged.
SELECT e.arm,
    count(*) FILTER (WHERE NOT first.is_right AND v.outcome = 'correct'),
    count(*) FILTER (WHERE first.is_right AND v.outcome = 'incorrect'),
    count(*) FILTER (WHERE first.is_right AND v.outcome = 'correct'),
    count(*) FILTER (WHERE NOT first.is_right AND v.outcome = 'incorrect'),
    count(*) FILTER (WHERE first.is_right IS NULL)
FROM trajectories_episode e
JOIN trajectories_verdict v ON v.id = e.verdict_id AND v.outcome IN ('correct', 'incorrect')
CROSS JOIN LATERAL (SELECT (v.metrics->>'first_answer_correct')::float8 = 1 AS is_right) first
WHERE e.run_id = %(run)s AND e.is_plain AND e.answer_check <> ''
GROUP BY e.arm
ORDER BY e.arm
