SELECT e.id, b.verifier_official, b.verifier_training, g.extra->>'dataset'
FROM trajectories_episode e
JOIN tasks_app_task t ON t.id = e.task_id
JOIN tasks_app_benchmark b ON b.id = t.benchmark_id
LEFT JOIN tasks_app_gold g ON g.task_id = t.id AND g.is_current
WHERE e.id = ANY(%(episodes)s) AND NOT {is_probe}
    AND (b.verifier_official = ANY(%(verifiers)s) OR b.verifier_training = ANY(%(verifiers)s))
