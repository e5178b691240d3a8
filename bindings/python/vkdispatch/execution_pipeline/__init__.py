"""Recorded work."""
