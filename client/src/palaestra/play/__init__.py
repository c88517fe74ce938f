"""The play of one episode."""
