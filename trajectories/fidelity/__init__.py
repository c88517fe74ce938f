"""Whether a DOM replay shows what the agent saw: replays drawn in a sandbox, held against screenshots."""
