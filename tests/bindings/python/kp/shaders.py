"""Shaders of the tests in GLSL, and the tools that make SPIR-V of them and of assembly."""

import functools
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from vkdispatch import kp


@functools.cache
def spirv(source, target=None):
    """SPIR-V of GLSL by glslangValidator, as users make it: 1.0 unless a target ("spirv1.3") is named.

    A machine without that tool gets SPIR-V of the library's own compiler, and leaves out tests that name a target.
    """
    if shutil.which("glslangValidator") is None:
        if target is not None:
            pytest.skip("this machine has no glslangValidator")
        return kp.Shader.compile_source(source)
    if "#version" not in source:
        source = "#version 450\n" + source
    with tempfile.TemporaryDirectory() as folder:
        text, made = Path(folder) / "x.comp", Path(folder) / "x.spv"
        text.write_text(source)
        options = ["--target-env", target] if target else []
        subprocess.run(
            ["glslangValidator", "-V", *options, str(text), "-o", str(made)], check=True, capture_output=True
        )
        return made.read_bytes()


@functools.cache
def assembled(source, version="1.3"):
    """SPIR-V of assembly by spirv-as."""
    if shutil.which("spirv-as") is None:
        pytest.skip("this machine has no spirv-as")
    command = ["spirv-as", "--target-env", f"spv{version}", "-", "-o", "-"]
    return subprocess.run(command, input=source.encode(), check=True, capture_output=True).stdout


MULTIPLY = """
layout (local_size_x = 1) in;
layout (set = 0, binding = 0) buffer A { float a[]; };
layout (set = 0, binding = 1) buffer B { float b[]; };
layout (set = 0, binding = 2) buffer C { float c[]; };
void main() { uint i = gl_GlobalInvocationID.x; c[i] = a[i] * b[i]; }
"""


def multiply(kind):
    """The product of two arrays of a type of GLSL's."""
    return MULTIPLY.replace("float", kind)


INCREMENT = """
layout (local_size_x = 1) in;
layout (set = 0, binding = 0) buffer A { float a[]; };
void main() { a[gl_GlobalInvocationID.x] += 1.0; }
"""


def push(kind, count=3):
    """Adds push constants of a type to an array of it."""
    return f"""
layout (local_size_x = 1) in;
layout (set = 0, binding = 0) buffer A {{ {kind} a[]; }};
layout (push_constant) uniform P {{ {kind} p[{count}]; }};
void main() {{ uint i = gl_GlobalInvocationID.x; a[i] += p[i]; }}
"""


# A loop that the compiler cannot shorten, for waits that run out.
LONG = """
layout (local_size_x = 1) in;
layout (set = 0, binding = 0) buffer A { uint a[]; };
layout (constant_id = 0) const uint turns = 1000;
void main() {
  uint i = gl_GlobalInvocationID.x;
  for (uint k = 0; k < turns; ++k) a[i] = (a[i] * 1664525u + 1013904223u) ^ k;
}
"""
