"""Rewards in parts: components of episodes and steps with their sources, and profiles that combine them."""
