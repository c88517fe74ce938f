"""Measures of how easily a mock site's tasks are solved unread (``check_guesses``, ``check_shortcuts``)."""
