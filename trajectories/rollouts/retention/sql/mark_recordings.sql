-- Only episodes that have something to prune are marked.
INSERT INTO trajectories_pruning AS p (episode_id, recordings_at)
SELECT DISTINCT episode_id, now() FROM trajectories_recordingchunk WHERE episode_id = ANY(%(ids)s)
ON CONFLICT (episode_id) DO UPDATE SET recordings_at = excluded.recordings_at
