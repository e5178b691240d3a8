"""The package's version; major and minor equal those of the library that it calls."""

__version__ = "0.2.0"
