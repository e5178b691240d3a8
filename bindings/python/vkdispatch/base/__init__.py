"""Devices, contexts, buffers and the objects that run on them."""
