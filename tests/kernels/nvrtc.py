"""NVRTC from its Python wheel, through ctypes: CUDA C++ to a cubin, on machines without a GPU."""

import ctypes
import importlib.util
from functools import cache
from pathlib import Path

#: Options that the library gives for a printed kernel beside the architecture and the standard, and for one without images.
#: Variables that a kernel sets and does not read are the kernel's affair.
PRINTED = ["--diag-suppress=177,550"]
WITHOUT_IMAGES = [*PRINTED, "--minimal"]


class CompileError(Exception):
    """The compiler's log."""


@cache
def library():
    """The loaded library, or None where the wheel is not installed."""
    spec = importlib.util.find_spec("nvidia")
    for root in spec.submodule_search_locations if spec else []:
        for path in sorted(Path(root).rglob("libnvrtc.so.*")):
            return ctypes.CDLL(str(path))
    return None


def compile_cubin(source, architecture="sm_90", options=()):
    """The binary and the compiler's log."""
    return _compile(source, architecture, options, "CUBIN")


def compile_ptx(source, architecture="compute_90", options=()):
    """The text, as of an architecture that is none of a device's, and the compiler's log."""
    text, log = _compile(source, architecture, options, "PTX")
    return text.rstrip(b"\0").decode(), log


def _compile(source, architecture, options, result):
    nvrtc = library()
    program = ctypes.c_void_p()
    check(nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"kernel.cu", 0, None, None))
    try:
        arguments = [f"--gpu-architecture={architecture}".encode(), b"--std=c++17", *(o.encode() for o in options)]
        status = nvrtc.nvrtcCompileProgram(program, len(arguments), (ctypes.c_char_p * len(arguments))(*arguments))
        size = ctypes.c_size_t()
        check(nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size)))
        log = ctypes.create_string_buffer(size.value)
        check(nvrtc.nvrtcGetProgramLog(program, log))
        if status != 0:
            raise CompileError(log.value.decode())
        check(getattr(nvrtc, f"nvrtcGet{result}Size")(program, ctypes.byref(size)))
        made = ctypes.create_string_buffer(size.value)
        check(getattr(nvrtc, f"nvrtcGet{result}")(program, made))
        return made.raw, log.value.decode()
    finally:
        nvrtc.nvrtcDestroyProgram(ctypes.byref(program))


def check(status):
    assert status == 0, f"NVRTC gives status {status}"
