"""What a training run does to its policy, version by version."""
