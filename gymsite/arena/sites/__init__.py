"""Mock sites. Each folder is one site, registered by its ``__init__``."""
