"""Profiles: how the components of an episode become one number."""
