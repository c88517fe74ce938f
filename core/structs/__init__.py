"""Bodies and queries of the API as structs."""
