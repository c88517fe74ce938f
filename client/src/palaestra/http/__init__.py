"""HTTP: connections, retries and pauses, and paths."""
