-- One row per episode of a run, in their order, from the one after `after`; `EpisodeRow` names the columns.
-- Guided episodes are not the model's own work, and cancelled or unused ones are nobody's.
SELECT e.id, e.run_id, t.benchmark_id, t.split, t.id, t.key, e.arm,
       CASE WHEN e.arm = ANY(%(paged)s) THEN r.observation ELSE '' END, r.settings->'retest' IS NOT DISTINCT FROM 'true',
       e.sample_index, CASE WHEN e.arm = ANY(%(paged)s) THEN e.presentation_hash ELSE '' END,
       v.outcome, v.reason, e.policy_version, rtrim(g.template, 'abcdefghijklmnopqrstuvwxyz'),
       t.guess_rate, t.gap_eligible OR t.kind = 'site', t.kind = 'site',
       EXISTS (SELECT FROM tasks_app_gold d WHERE d.task_id = t.id AND d.is_current AND d.status = 'disputed'),
       v.score, e.token_budget, (g.settings->>'max_steps')::int, e.answer_channel, coalesce(cardinality(g.examples), 0),
       coalesce(nullif(((g.settings->'presentation') - %(look_axes)s::text[])::text, '{}'), ''),
       {is_failure}, {is_repaired}
FROM trajectories_run r
JOIN trajectories_episode e ON e.run_id = r.id
JOIN trajectories_group g ON g.id = e.group_id
JOIN tasks_app_task t ON t.id = e.task_id
LEFT JOIN trajectories_verdict v ON v.id = e.verdict_id
WHERE r.id = %(run)s AND e.id > %(after)s AND e.is_plain
    AND (v.reason IS NULL OR v.reason <> ALL(%(nobodys)s))
    AND (%(splits)s::text[] = '{}' OR t.split = ANY(%(splits)s::text[]))
    AND (%(benchmark)s = '' OR t.benchmark_id = %(benchmark)s)
ORDER BY e.id
LIMIT %(limit)s
