"""The code that plays one episode."""
