WITH hits AS MATERIALIZED ({hits} LIMIT %(rare_max)s + 1)
SELECT n.n, p.episode_id, p.index
FROM (SELECT count(*) AS n FROM hits) n LEFT JOIN LATERAL (
    SELECT * FROM hits WHERE n.n <= %(rare_max)s ORDER BY episode_id DESC, index DESC LIMIT %(limit)s
) p ON true
ORDER BY p.episode_id DESC, p.index DESC
