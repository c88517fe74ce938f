"""Learned rewards: small models that predict success from an episode's facts and the policy's own words."""
