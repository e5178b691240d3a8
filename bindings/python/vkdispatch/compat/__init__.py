"""Stand-ins for optional packages."""
