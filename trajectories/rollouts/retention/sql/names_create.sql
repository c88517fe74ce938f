CREATE TEMP TABLE IF NOT EXISTS blob_names (sha256 text PRIMARY KEY);
CREATE TEMP TABLE IF NOT EXISTS excluded (
    episode_id bigint PRIMARY KEY, has_row boolean, has_screenshots boolean, has_recordings boolean);
TRUNCATE blob_names, excluded
