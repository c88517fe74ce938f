-- What the rates of a project follow from, in brief: labels are only added, a unit may become one for training,
-- an episode may be judged again or deleted, and a run renamed.
SELECT labels.newest, labels.number, sources.content
FROM (
    SELECT max(l.id) AS newest, count(*) AS number
    FROM trajectories_label l JOIN trajectories_annotator a ON a.id = l.annotator_id
    WHERE a.project_id = %(project)s
) labels
CROSS JOIN (
    SELECT md5(string_agg(concat_ws(':', e.id, of_episode.units, r.name, v.outcome), ',' ORDER BY e.id)) AS content
    FROM (
        SELECT u.episode_id, string_agg(u.id::text, ',' ORDER BY u.id) AS units
        FROM trajectories_annotationunit u
        JOIN trajectories_step s ON s.episode_id = u.episode_id AND s.index = u.step
        WHERE u.project_id = %(project)s AND u.gold IS NULL
        GROUP BY u.episode_id
    ) of_episode
    JOIN trajectories_episode e ON e.id = of_episode.episode_id
    JOIN trajectories_run r ON r.id = e.run_id
    LEFT JOIN trajectories_verdict v ON v.id = e.verdict_id
) sources
