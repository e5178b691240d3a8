"""The package's version; major and minor are those of the library that it calls."""

__version__ = "0.2.0"
