"""The functions of the kernel language."""
