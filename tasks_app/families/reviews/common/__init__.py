"""What the families of the shop share."""
