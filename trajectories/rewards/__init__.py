"""Rewards, made up of components of episodes and steps and of profiles that combine the components."""
