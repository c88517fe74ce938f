"""Agreement of the verifiers with published verdicts (``check_verifiers``)."""
