-- Units of a project whose thought has more words than a unit may have.
SELECT u.id, s.thought
FROM trajectories_annotationunit u
JOIN trajectories_step s ON s.episode_id = u.episode_id AND s.index = u.step
WHERE u.project_id = %(project)s AND u.id > %(after)s AND u.paragraph = 0
  AND char_length(s.thought) > %(words)s
  AND cardinality(regexp_split_to_array(btrim(s.thought), '\s+')) > %(words)s
ORDER BY u.id
LIMIT %(limit)s
