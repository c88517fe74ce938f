"""Files: blobs, and how they are written."""
