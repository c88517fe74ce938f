"""Check that a task's text can be recovered from the observation of its page (``check_parity``)."""
