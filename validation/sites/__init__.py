"""Answers that a mock site gives away without being read (``check_guesses``, ``check_shortcuts``)."""
