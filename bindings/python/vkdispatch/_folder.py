"""Notices files of another package in this one's folder.

PyPI's vkdispatch 0.1 imports by the same name, and pip lets each overwrite the other's files without a word. Importing this
module looks, so the package imports it before all others.
"""

from __future__ import annotations

import os

#: Files that vkdispatch 0.1 has and this package has not.
FOREIGN = ("backends/dummy_backend.py", "backends/opencl_backend.py", "codegen/functions/type_casting.py")


def check_folder(folder: str) -> None:
    """Raise an ImportError with advice if the package's folder has files of vkdispatch 0.1."""
    found = [name for name in FOREIGN if os.path.lexists(os.path.join(folder, name))]
    if found:
        raise ImportError(
            f"{folder} has files of vkdispatch 0.1 ({', '.join(found)}) among those of libvkdispatch, and neither works like "
            "this. Uninstall both, then install the one you want:\n"
            "  python -m pip uninstall -y vkdispatch vkdispatch-core vkdispatch-vulkan-native libvkdispatch\n"
            "  python -m pip install libvkdispatch"
        )


check_folder(os.path.dirname(__file__))
