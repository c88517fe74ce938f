"""What runs inside the sandboxes. Sent in as text: of the project it may import ``values`` only."""
