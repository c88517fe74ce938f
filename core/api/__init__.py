"""The REST API: its requests, responses, errors and schema."""
