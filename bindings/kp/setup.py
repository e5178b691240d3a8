"""Refuses to be built or installed from source where Kompute's own distribution is."""

from importlib import metadata

from setuptools import setup

try:
    found = metadata.version("kp")
except metadata.PackageNotFoundError:
    setup()
else:
    raise SystemExit(
        f"libvkdispatch-kp provides the module kp, and Kompute's distribution kp {found} is installed, which does, too: "
        "uninstall that first (pip uninstall kp)"
    )
