SELECT e.id, t.split FROM trajectories_episode e JOIN tasks_app_task t ON t.id = e.task_id
WHERE e.id = ANY(%s)
