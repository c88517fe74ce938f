"""Agreement of our verifiers with published verdicts (``check_verifiers``)."""
