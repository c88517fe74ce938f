SELECT v.run_seq FROM trajectories_verdict v
JOIN trajectories_episode e ON e.id = v.episode_id JOIN tasks_app_task t ON t.id = e.task_id
WHERE v.run_id = %s AND v.run_seq = ANY(%s) AND t.split = ANY(%s)
