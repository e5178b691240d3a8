"""NVRTC from its Python wheel, through ctypes: CUDA C++ to a cubin, on machines without a GPU."""

import ctypes
import importlib.util
from functools import cache
from pathlib import Path


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
    nvrtc = library()
    program = ctypes.c_void_p()
    check(nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"kernel.cu", 0, None, None))
    try:
        arguments = [f"--gpu-architecture={architecture}".encode(), b"--std=c++17", *(o.encode() for o in options)]
        result = nvrtc.nvrtcCompileProgram(program, len(arguments), (ctypes.c_char_p * len(arguments))(*arguments))
        size = ctypes.c_size_t()
        check(nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size)))
        log = ctypes.create_string_buffer(size.value)
        check(nvrtc.nvrtcGetProgramLog(program, log))
        if result != 0:
            raise CompileError(log.value.decode())
        check(nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size)))
        cubin = ctypes.create_string_buffer(size.value)
        check(nvrtc.nvrtcGetCUBIN(program, cubin))
        return cubin.raw, log.value.decode()
    finally:
        nvrtc.nvrtcDestroyProgram(ctypes.byref(program))


def check(status):
    assert status == 0, f"NVRTC gives status {status}"
