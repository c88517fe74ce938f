"""Tools of a panel as pure functions, which page forms and calls in prompts share."""
