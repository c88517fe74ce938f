-- Stores an answer, of a page or of the API. Of two at once the update lets one through: the other waits for the row
-- and then finds its status changed. If the run checks answers, the first is stored apart and the episode stays open.
-- The sweeper is notified at commit, when it can read the submission.
WITH given AS (
    UPDATE trajectories_episode e SET
        status = CASE WHEN answer_check = 'due' THEN status ELSE 'submitted' END,
        answer_check = CASE answer_check WHEN 'due' THEN 'requested' WHEN 'requested' THEN 'given' ELSE '' END
    WHERE id = %(episode)s AND status = 'open' AND inherited_events IS NOT NULL AND {may_answer}
        AND answer_check = ANY(CASE WHEN %(number)s::int = 1 THEN ARRAY['', 'due'] ELSE ARRAY['requested'] END)
    RETURNING id, answer_check
), first_stored AS (
    INSERT INTO trajectories_firstanswer (episode_id, answer, channel, site_events)
    SELECT id, %(answer)s::jsonb, %(channel)s, coalesce((
        SELECT max(v.seq) FROM trajectories_siteevent v WHERE v.episode_id = given.id), 0)
    FROM given WHERE answer_check = 'requested'
), stored AS (
    INSERT INTO trajectories_submission (episode_id, answer, channel)
    SELECT id, %(answer)s::jsonb, %(channel)s FROM given WHERE answer_check <> 'requested' RETURNING episode_id
){noted}
SELECT answer_check, (SELECT pg_notify('{channel}', '') FROM stored) FROM given
