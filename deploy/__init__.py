"""Files for installing and demonstrating the product, and its architecture drawing."""
