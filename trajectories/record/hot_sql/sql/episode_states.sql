-- Parameter: ids. Rows: (id, is_finished, record as JSON text, and who may see it: project, split).
SELECT e.id, e.status = 'finished', json_build_object(
    'id', e.id, 'run', e.run_id, 'group', e.group_id, 'task', e.task_id, 'arm', e.arm,
    'sample_index', e.sample_index, 'policy_version', e.policy_version, 'status', e.status,
    'parent', e.parent_id, 'begins_after', e.begins_after,
    'steps_used', coalesce((SELECT max(s.index) FROM trajectories_step s WHERE s.episode_id = e.id), e.begins_after),
    'max_steps', e.max_steps, 'presentation_hash', e.presentation_hash,
    'opened_at', e.opened_at, 'finished_at', e.finished_at,
    'terminated', coalesce(v.terminated, false), 'truncated', coalesce(v.truncated, false),
    'verdict', CASE WHEN v.id IS NOT NULL THEN {verdict_json} END)::text,
    r.project, t.split
FROM trajectories_episode e JOIN trajectories_run r ON r.id = e.run_id JOIN tasks_app_task t ON t.id = e.task_id
LEFT JOIN trajectories_verdict v ON v.id = e.verdict_id
WHERE e.id = ANY(%s)
