"""Programs that run inside the sandboxes. Sent in as text, they may import only ``values`` of the project."""
