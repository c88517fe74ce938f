"""The check that DOM replays show what the agent saw, by rendering them in a sandbox next to screenshots."""
