"""Which backend runs kernels."""
