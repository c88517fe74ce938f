"""Background work: queues, jobs and sweeps."""
