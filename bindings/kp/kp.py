"""Kompute's Python API: the module vkdispatch.kp under the name that programs for Kompute import."""

import sys
from importlib import metadata

import vkdispatch.kp

try:
    _found = metadata.version("kp")
except metadata.PackageNotFoundError:
    sys.modules["kp"] = vkdispatch.kp
else:
    raise ImportError(
        f"libvkdispatch-kp and Kompute's distribution kp {_found} are both installed, and each provides the module kp. "
        "Uninstall both (pip uninstall kp libvkdispatch-kp), and install the one that you want"
    )
