-- Parameters: run, after, limit. Rows: (run_seq, record as JSON text), in the order of commits.
SELECT v.run_seq,
    json_build_object('episode', v.episode_id, 'group', e.group_id, 'verdict', {verdict_json})::text
FROM trajectories_verdict v JOIN trajectories_episode e ON e.id = v.episode_id
WHERE v.run_id = %s AND v.run_seq > %s ORDER BY v.run_seq LIMIT %s
