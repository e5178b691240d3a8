"""The choice of the backend that runs kernels."""
