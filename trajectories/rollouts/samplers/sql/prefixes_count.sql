-- Results of prefixes between two places of the run's verdict stream, counted by task and number of steps: those that
-- runs/{id}/prefixes has (episodes/prefixes.py), so neither voids nor forks nor what a person took over.
INSERT INTO trajectories_samplerprefix AS t (sampler_id, task_id, steps, judged, correct)
SELECT %(sampler)s, e.task_id, (e.guidance->>'steps')::int, count(*), count(*) FILTER (WHERE v.outcome = 'correct')
FROM trajectories_verdict v
CROSS JOIN LATERAL (
    SELECT task_id, guidance, parent_id, is_taken_over FROM trajectories_episode
    WHERE id = v.episode_id OFFSET 0) e
CROSS JOIN LATERAL (
    SELECT FROM trajectories_samplertask WHERE sampler_id = %(sampler)s AND task_id = e.task_id OFFSET 0) known
WHERE v.run_id = %(run)s AND v.run_seq > %(after)s AND v.run_seq <= %(upto)s AND v.outcome <> 'void'
    AND e.guidance->>'kind' = 'prefix' AND e.guidance ? 'steps' AND e.parent_id IS NULL AND NOT e.is_taken_over
GROUP BY 2, 3
ON CONFLICT (sampler_id, task_id, steps) DO UPDATE
    SET judged = t.judged + EXCLUDED.judged, correct = t.correct + EXCLUDED.correct
