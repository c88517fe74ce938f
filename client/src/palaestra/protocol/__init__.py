"""Facts that the server and its clients share, each stated once.

This package imports only the standard library, so that the server can use it without the client's libraries.
"""
