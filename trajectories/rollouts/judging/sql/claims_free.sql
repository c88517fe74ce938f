-- A claim so old is lost, and what was never sent is sent at once. The claim still counts as one of those allowed.
UPDATE trajectories_submission SET claimed_at = 'epoch', claimed_by = NULL, sent_at = NULL
WHERE judged_at IS NULL AND claimed_by = ANY(%(workers)s)
