"""The check that DOM replays show what the agent saw, by comparing sandboxed renderings with screenshots."""
