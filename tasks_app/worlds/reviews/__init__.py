"""World of ``reviews``, a shop whose products have 50 to 600 reviews each."""
