"""Mock sites: one folder is one site, which its ``__init__`` registers."""
