"""What pip builds: the library with CMake, into the package, and the extension for the hot entries. The rest stands in pyproject.toml.

VD_WHEEL_LIBRARY names a library that is built already; CMAKE_ARGS is added to CMake's options.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Distribution, Extension, setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
NATIVE = "bindings/python/vkdispatch/_native"
LIBRARY = {"win32": "vkdispatch.dll", "darwin": "libvkdispatch.dylib"}.get(sys.platform, "libvkdispatch.so")


#: Where Debian's packages state the licences of what is compiled in; those of the headers come along with the sources.
LICENSES = [
    *(
        Path("/usr/share/doc") / name / "copyright"
        for name in ("glslang-dev", "spirv-tools", "libfmt-dev", "libxxhash-dev")
    ),
    *(ROOT / "build/deps/root/usr/share/doc").glob("*/copyright"),
]


def run(*command: str | Path) -> None:
    print("+", shlex.join(map(str, command)), flush=True)
    subprocess.run(command, check=True, cwd=ROOT)


def build_library() -> Path:
    """The library, stripped, with the C++ runtime inside: the newest one that a machine may lack."""
    if not shutil.which("cmake"):
        raise SystemExit(
            "libvkdispatch: the library is C++ and built with CMake, which was not found. docs/dependencies.md names what the "
            "build needs; VD_WHEEL_LIBRARY names a library that is built already."
        )
    tree, prefix = ROOT / "build/wheel", ROOT / "build/wheel/prefix"
    # Flags of the preset "release": this is the library that was tested.
    flags = [f"-DCMAKE_{language}_FLAGS_RELEASE=-O2 -DNDEBUG" for language in ("C", "CXX")]
    options = ["-DCMAKE_BUILD_TYPE=Release", *flags, "-DVD_STATIC_RUNTIME=ON", "-DVD_WARNINGS_AS_ERRORS=OFF"]
    options += [f"-DVD_{part}=OFF" for part in ("TESTS", "EXAMPLES", "BENCH")]
    if (ROOT / ".ci/setup").exists():
        options.append("-DVD_SETUP_HEADERS=ON")
    if shutil.which("ninja"):
        options += ["-G", "Ninja"]
    run("cmake", "-S", ROOT, "-B", tree, *options, *shlex.split(os.environ.get("CMAKE_ARGS", "")))
    run("cmake", "--build", tree, "--target", "vkdispatch", "-j", str(os.cpu_count() or 1))
    shutil.rmtree(prefix, ignore_errors=True)
    run("cmake", "--install", tree, "--prefix", prefix, "--strip")
    return next(prefix.rglob(LIBRARY)).resolve()


class BuildPackage(build_py):
    """The package with the library in it; an editable one finds that of the checkout."""

    def run(self) -> None:
        super().run()
        if self.editable_mode:
            return
        given = os.environ.get("VD_WHEEL_LIBRARY")
        package = Path(self.build_lib) / "vkdispatch"
        shutil.copy2(Path(given).resolve(strict=True) if given else build_library(), package / LIBRARY)
        (package / "licenses").mkdir(exist_ok=True)
        for file in LICENSES:
            if file.exists():
                shutil.copyfile(file, package / "licenses" / f"{file.parent.name}.txt")


class WithLibrary(Distribution):
    """Made for one kind of machine, also where the extension cannot be built."""

    def has_ext_modules(self) -> bool:
        return True


setup(
    distclass=WithLibrary,
    cmdclass={"build_py": BuildPackage},
    ext_modules=[
        Extension(
            "vkdispatch._native._vdhot",
            [f"{NATIVE}/{name}.c" for name in ("_vdhot", "_launcher", "_launch", "_calls")],
            depends=[f"{NATIVE}/{name}.h" for name in ("_launch", "_statuses")],
            py_limited_api=True,
            optional=True,  # the package does the same over cffi, more slowly
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp310"}, "build": {"build_base": "build/python"}},
)
