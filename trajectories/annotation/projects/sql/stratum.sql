-- The stratum of a step, of the parts that a project distinguishes.
concat_ws(' · ',
    CASE WHEN 'arm' = ANY(%(by)s) THEN e.arm END,
    CASE WHEN 'outcome' = ANY(%(by)s) THEN coalesce(v.outcome, e.status) END,
    CASE WHEN 'benchmark' = ANY(%(by)s) THEN t.benchmark_id END)
