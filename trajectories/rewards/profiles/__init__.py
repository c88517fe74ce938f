"""Profiles, which define how an episode's components become one number."""
