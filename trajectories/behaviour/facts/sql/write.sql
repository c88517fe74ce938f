WITH steps_written AS (
    INSERT INTO trajectories_stepfacts (episode_id, index, version, {step_columns}, words)
    SELECT %(episode)s, i.index, %(version)s, {step_values}, to_tsvector('{configuration}'::regconfig, i.words)
    FROM json_to_recordset(%(steps)s::json) AS i(index int, {step_types}, words text)
    ON CONFLICT (episode_id, index) DO UPDATE
        SET version = excluded.version, words = excluded.words, {step_updates}
), changes AS (
    INSERT INTO trajectories_versionsum AS s (run_id, arm, policy_version, changes)
    SELECT run_id, arm, policy_version, 1 FROM trajectories_episode
    WHERE id = %(episode)s AND policy_version IS NOT NULL
    ON CONFLICT (run_id, arm, policy_version) DO UPDATE SET changes = s.changes + 1
)
INSERT INTO trajectories_episodefacts (episode_id, version, seen_until, computed_at, {episode_columns})
SELECT %(episode)s, %(version)s, %(seen_until)s, now(), {episode_values}
FROM json_to_record(%(summary)s::json) AS i({episode_types})
ON CONFLICT (episode_id) DO UPDATE SET version = excluded.version, seen_until = excluded.seen_until,
    computed_at = excluded.computed_at, {episode_updates}
