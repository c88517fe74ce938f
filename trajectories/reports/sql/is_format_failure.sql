-- Whether episode e with verdict v ended wrong by the form of what was written: by an answer or actions that could
-- not be read, or without an answer when no turn could be read at all.
(v.outcome = 'incorrect' AND (v.reason IN ('unparsable_answer', 'invalid_actions')
    OR v.reason IN ('no_submission', 'step_budget')
        AND EXISTS (SELECT FROM trajectories_step s WHERE s.episode_id = e.id)
        AND NOT EXISTS (SELECT FROM trajectories_step s WHERE s.episode_id = e.id AND s.parse_error = '')))
