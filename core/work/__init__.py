"""Work in the background: queues, jobs and sweeps."""
