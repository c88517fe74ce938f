"""Learned rewards: small models of success, from the facts of an episode and the policy's own words."""
