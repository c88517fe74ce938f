"""Installation, demonstration and drawings of the product."""
