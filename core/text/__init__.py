"""Text formats: CSV, JSON, LaTeX and TOML."""
