"""One file is one action type; every module here is found and registered at start."""
