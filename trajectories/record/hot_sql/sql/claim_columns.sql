-- What a submission is judged by, in the order of ``Claim``. The choices and their order in the episode come
-- along; the payloads of other tasks are not read. A copy of the question is judged by the text that was shown.
e.run_id, r.kind, s.answer,
CASE WHEN {is_probe} THEN '{verifier}' ELSE b.verifier_official END,
CASE WHEN {is_probe} THEN '{verifier}' ELSE b.verifier_training END,
CASE WHEN NOT {is_probe} THEN g.version END,
CASE WHEN {is_probe} THEN e.variation->>'transcript' ELSE g.answer END,
CASE WHEN NOT {is_probe} THEN g.accepted END,
CASE WHEN NOT {is_probe} THEN g.solution END,
CASE WHEN NOT {is_probe} THEN g.extra END,
CASE WHEN NOT {is_probe} AND t.kind = '{choice}' THEN jsonb_build_object(
    'choices', t.payload->'choices', 'order', e.variation->'order')
END, t.kind, CASE WHEN e.answer_check = 'given' THEN (
    SELECT jsonb_build_object('answer', f.answer, 'site_events', f.site_events)
    FROM trajectories_firstanswer f WHERE f.episode_id = e.id)
END
