-- The units of a project with where they come from; those whose trajectory was deleted are left out.
SELECT u.id, u.episode_id, u.step, u.paragraph, u.stratum, u.weight,
       cardinality(regexp_split_to_array(btrim(substr(s.thought, u.begin + 1, u."end" - u.begin), E' \t\r\n'), '\s+')),
       e.arm, e.run_id, r.name, coalesce(s.policy_version, e.policy_version), e.task_id, coalesce(v.outcome, '')
FROM trajectories_annotationunit u
JOIN trajectories_step s ON s.episode_id = u.episode_id AND s.index = u.step
JOIN trajectories_episode e ON e.id = u.episode_id
JOIN trajectories_run r ON r.id = e.run_id
LEFT JOIN trajectories_verdict v ON v.id = e.verdict_id
WHERE u.project_id = %(project)s AND u.gold IS NULL
ORDER BY u.position, u.paragraph, u.id
