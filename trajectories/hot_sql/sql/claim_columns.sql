-- What a submission is judged by, in the order of ``Claim``. With permuted choices the labels and their order
-- come along; the payloads of other tasks are not read.
e.run_id, r.kind, s.answer, b.verifier_official, b.verifier_training,
g.version, g.answer, g.accepted, g.solution, g.extra,
CASE WHEN e.variation->'order' IS NOT NULL THEN jsonb_build_object(
    'labels', jsonb_path_query_array(t.payload, '$.choices[*].label'), 'order', e.variation->'order')
END, t.kind
