"""Real models: a policy over any endpoint that speaks OpenAI's chat completions (``palaestra[models]``)."""
