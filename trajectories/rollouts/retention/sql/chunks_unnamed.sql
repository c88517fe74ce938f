SELECT h.sha256 FROM unnest(%(hashes)s::text[]) AS h(sha256)
WHERE NOT EXISTS (SELECT FROM trajectories_recordingchunk c WHERE c.sha256 = h.sha256 AND NOT EXISTS (
    SELECT FROM excluded x WHERE x.episode_id = c.episode_id AND x.has_recordings))
