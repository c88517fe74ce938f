"""Playing one episode."""
