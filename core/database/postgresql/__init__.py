"""Django's PostgreSQL engine with a pool that checks connections without a query (setting ``ENGINE``)."""
