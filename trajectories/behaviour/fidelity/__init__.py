"""Checks that DOM replays show what the agent saw: rendered in a sandbox and compared with screenshots."""
