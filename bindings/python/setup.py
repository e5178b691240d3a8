"""The extension for the hot entries, where it can be built; everything else stands in pyproject.toml."""

from setuptools import Extension, setup

setup(
    ext_modules=[
        Extension(
            "vkdispatch._native._vdhot",
            [f"vkdispatch/_native/{name}.c" for name in ("_vdhot", "_launcher", "_launch")],
            depends=["vkdispatch/_native/_launch.h"],
            py_limited_api=True,
            optional=True,  # the package does the same over cffi, more slowly
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp310"}},
)
