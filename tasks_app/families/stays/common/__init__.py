"""What the families of the booking site share."""
