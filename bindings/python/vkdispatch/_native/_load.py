"""Finds and opens the shared library, and compares its promise and version with those that the raw layer was generated for."""

from __future__ import annotations

import os
import sys
from typing import Any, Literal, NoReturn

from . import _enums as enums
from ._declarations import ABI, VERSION, ffi
from ._errors import UnsupportedError, raise_status

# Not pathlib, whose import takes as long as opening the library.

_NAMES = {"win32": ("vkdispatch.dll",), "darwin": ("libvkdispatch.dylib",)}.get(
    sys.platform, ("libvkdispatch.so", "libvkdispatch.so.0")
)


def candidates() -> list[str]:
    """Paths of the library, in the order in which they are tried: VKDISPATCH_LIBRARY alone if set, beside the package,
    a checkout's build tree, the system's loader."""
    explicit = os.environ.get("VKDISPATCH_LIBRARY")
    if explicit:
        return [explicit]
    package = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    folders = [package, os.path.join(package, "lib")]
    checkout = os.path.dirname(os.path.dirname(os.path.dirname(package)))
    if os.path.isfile(os.path.join(checkout, "include", "vkdispatch.h")):
        trees = [os.path.join(checkout, "build", preset) for preset in ("release", "dev")]
        folders += [folder for tree in trees for folder in (tree, os.path.join(tree, "src"), os.path.join(tree, "lib"))]
    paths = [os.path.join(folder, name) for folder in folders for name in _NAMES]
    return [*filter(os.path.isfile, paths), *_NAMES]


def nvrtc_folders() -> list[str]:
    """The folders in which the wheels nvidia-cuda-nvrtc and nvidia-cuda-nvrtc-cu12 install CUDA's compiler, for the
    library to look at."""
    found: list[str] = []
    for entry in sys.path:
        packages = os.path.join(entry or ".", "nvidia")
        if os.path.isdir(packages):
            wheels = [os.path.join(packages, name) for name in sorted(os.listdir(packages)) if name.startswith("cu")]
            paths = [os.path.join(wheel, part) for part in ("lib", "bin") for wheel in wheels]
            found += filter(os.path.isdir, paths)
    return found


def tell_library_of_nvrtc() -> None:
    """Tell the library NVRTC's folders through the environment; a value that the user set comes first."""
    given = os.environ.get("VKDISPATCH_NVRTC_PATH", "").split(os.pathsep)
    folders = [folder for folder in [*given, *nvrtc_folders()] if folder]
    if folders:
        os.environ["VKDISPATCH_NVRTC_PATH"] = os.pathsep.join(dict.fromkeys(folders))


def find(library: Any, name: str) -> Any:
    """An entry of a library; None if it has none of that name."""
    try:
        return getattr(library, name, None)
    except ffi.error:
        return None


class Entries:
    """The library's entries by name. One that the library lacks is an UnsupportedError when it is called."""

    def __init__(self, library: Any, path: str):
        self._library = library
        self._path = path

    def __getattr__(self, name: str) -> Any:
        entry = find(self._library, name)
        if entry is None:
            number = self._library.vd_version()
            found = f"{number // 1000000}.{number // 1000 % 1000}.{number % 1000}"
            text = (
                f"{name}: {self._path} is version {found} and lacks it; the vkdispatch package was made for version "
                f"{'.'.join(map(str, VERSION))}"
            )

            def entry(*_: Any) -> Any:
                raise UnsupportedError(text, enums.VD_ERR_UNSUPPORTED)

        setattr(self, name, entry)
        return entry

    def __dir__(self) -> list[str]:
        return dir(self._library)

    def address(self, name: str) -> int:
        """The address of an entry, for the extension, which calls it directly."""
        return int(ffi.cast("uintptr_t", ffi.addressof(self._library, name)))


def open_library() -> Any:
    """The first candidate that opens and has our version; ImportError says what was tried."""
    flags = ffi.RTLD_NOW | getattr(ffi, "RTLD_NODELETE", 0)
    tried = []
    for path in candidates():
        if (fault := fault_of(path)) is not None:
            tried.append(f"  {path}: {fault}")
            continue
        try:
            # Kept open for good: finalizers of handles run until the very end of the process.
            lib = ffi.dlopen(path, flags)
        except (OSError, UnicodeError) as error:  # the second of a name that is not UTF-8
            tried.append(f"  {path}: {other_machine(path) or error}")
            continue
        version, abi = find(lib, "vd_version"), find(lib, "vd_abi")
        if version is None:
            tried.append(f"  {path}: it is not libvkdispatch, since it has no entry vd_version")
            continue
        check_version(version(), abi() if abi else None, path)
        return Entries(lib, path)
    raise ImportError("libvkdispatch could not be opened (VKDISPATCH_LIBRARY can name it). Tried:\n" + "\n".join(tried))


def fault_of(path: str) -> str | None:
    """Why a file must not be given to the system's loader, which would wait or end the process; None if it may."""
    try:
        if not os.path.isfile(path):
            return "it is not a file" if os.path.exists(path) else None
        with open(path, "rb") as file:
            header = file.read(64)
            if len(header) < 64 or header[:6] != b"\x7fELF\x02\x01":  # of 64 bits, the last ones first
                return None
            place, size, count = (
                int.from_bytes(header[at:end], "little") for at, end in ((32, 40), (54, 56), (56, 58))
            )
            file.seek(place)
            table = file.read(size * count)
            length = os.fstat(file.fileno()).st_size
    except (OSError, ValueError):  # the second of a name with a null character
        return None
    for segment in (table[at : at + size] for at in range(0, len(table) - 55, max(size, 56))):
        offset, bytes_there = (int.from_bytes(segment[at : at + 8], "little") for at in (8, 32))
        if segment[0] == 1 and offset + bytes_there > length:
            return f"it is cut short: it has {length} bytes of {offset + bytes_there} or more"
    return None


#: Machines by their numbers in an ELF header.
_MACHINES = {3: "x86", 40: "arm", 62: "x86_64", 183: "aarch64", 243: "riscv"}


def machine_of(path: str) -> int | None:
    """The machine that an ELF file is for; None if it is not an ELF file."""
    try:
        with open(path, "rb") as file:
            header = file.read(20)
    except OSError:
        return None
    order: Literal["little", "big"] = "big" if header[5:6] == b"\x02" else "little"
    return int.from_bytes(header[18:20], order) if header[:4] == b"\x7fELF" else None


def other_machine(path: str) -> str | None:
    """The message for a library built for another kind of machine than this Python; None if it was not."""
    theirs, ours = machine_of(path), machine_of(sys.executable or "")
    if theirs is None or ours is None or theirs == ours:
        return None
    names = [_MACHINES.get(number, f"machine {number}") for number in (theirs, ours)]
    return (
        f"it is for {names[0]}, and this Python for {names[1]}: install the wheel of this machine, or build from source"
    )


def check_version(number: int, abi: int | None, path: str) -> None:
    """ImportError with both numbers unless the library makes the raw layer's promise and is at least as new."""
    found = (number // 1000000, number // 1000 % 1000, number % 1000)
    if abi is not None and abi != ABI:
        raise ImportError(f"{path} has ABI {abi}, but the vkdispatch package needs ABI {ABI}")
    if abi is None and found >= VERSION:
        raise ImportError(
            f"{path} is an older build: it does not tell its ABI (vd_abi), which the vkdispatch package asks for"
        )
    if found < VERSION:
        texts = (".".join(map(str, version)) for version in (found, VERSION))
        raise ImportError("{} is version {}, but the vkdispatch package needs {} or newer".format(path, *texts))


def fail(status: int) -> NoReturn:
    """Raise this thread's last failure. Called right behind the call that failed, on the same thread."""
    raise_status(status, ffi.string(lib.vd_last_error()))


tell_library_of_nvrtc()
lib = open_library()
