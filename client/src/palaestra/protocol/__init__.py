"""Facts that the server and its clients share, each stated once.

It imports the standard library alone, so that the server reads it without the libraries of the client.
"""
