"""What installs, demonstrates and draws the product."""
