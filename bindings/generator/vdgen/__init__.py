"""Reads the public header and writes every file that is derived from it."""
