"""The components of rewards that are computed by rule, one file each."""
