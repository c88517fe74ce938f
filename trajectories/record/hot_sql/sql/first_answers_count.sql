-- Ends open episodes whose policies stopped after a first answer: that answer is submitted.
WITH counted AS (
    UPDATE trajectories_episode SET status = 'submitted'
    WHERE run_id = %(run)s AND id = ANY(%(episodes)s) AND status = 'open' AND answer_check = 'requested'
    RETURNING id
), stored AS (
    INSERT INTO trajectories_submission (episode_id, answer, channel)
    SELECT f.episode_id, f.answer, f.channel
    FROM counted c JOIN trajectories_firstanswer f ON f.episode_id = c.id RETURNING episode_id
)
SELECT pg_notify('{channel}', '') FROM stored
