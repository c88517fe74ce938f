"""File storage: blobs, thumbnails, and durable writing on disk or in buckets."""
