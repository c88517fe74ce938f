"""The fields of the codebook, one file each."""
