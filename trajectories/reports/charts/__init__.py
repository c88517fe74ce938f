"""The charts of a report's tables, drawn as SVG."""
