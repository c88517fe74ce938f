WITH hits AS MATERIALIZED ({hits} LIMIT %(counted_max)s + 1),
counted AS MATERIALIZED (SELECT * FROM hits LIMIT %(counted_max)s)
SELECT coalesce(v.outcome, c.status), c.arm, c.run_id, count(*), (SELECT count(*) FROM hits),
    (SELECT count(DISTINCT id) FROM counted)
FROM counted c LEFT JOIN trajectories_verdict v ON v.id = c.verdict_id
GROUP BY GROUPING SETS ((coalesce(v.outcome, c.status)), (c.arm), (c.run_id))
ORDER BY count(*) DESC, 3, 2, 1
