"""Django's PostgreSQL engine, with a pool that asks nothing of the server (setting ``ENGINE``)."""
