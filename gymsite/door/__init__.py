"""HTTP server of arena and lab. WSGI threads get only complete requests, so slow clients hold no thread."""
