"""Whether a task's text can be recovered from what an agent is shown of its page (``check_parity``)."""
