"""Recovery of a task's text from the observation of its page (``check_parity``)."""
