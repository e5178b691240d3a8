"""Kompute's Python API."""
