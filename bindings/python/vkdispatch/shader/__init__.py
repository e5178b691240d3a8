"""Kernels as Python functions."""
