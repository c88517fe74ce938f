"""HTTP front of arena and lab: complete requests for WSGI threads, by lane; slow clients hold no thread."""
