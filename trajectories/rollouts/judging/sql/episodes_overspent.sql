-- Open episodes in which more was done without a harness than they have steps.
SELECT e.run_id, e.id
FROM {unfinished} AND e.status = 'open' AND {acts} > e.max_steps + e.person_steps
