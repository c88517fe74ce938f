"""Effect of a training run on its policy, version by version."""
