"""Real models: a policy for any endpoint that speaks OpenAI's chat completions (``palaestra[models]``)."""
