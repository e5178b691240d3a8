"""Registers of transforms: the kernels that an H200 gets for rows of bench/fft keep all their values in registers."""

import re
import struct

import pytest

from . import nvrtc
from .test_fft_sources import printed

pytestmark = [
    pytest.mark.tools,
    pytest.mark.skipif(nvrtc.library() is None, reason="the wheel nvidia-cuda-nvrtc is not installed"),
]

ROWS = "d64 d512 d1024 d4096 l64 l256 l1000 l1024 l2070 l4096 l8000 l8192 l9000 l16384 l32768 l65536 c256 c1024 r64 r1024 r4096"


def spilled(source):
    """Bytes of local memory that an invocation of the kernel has for values without a register: its frame in .nv.info."""
    cubin, _ = nvrtc.compile_cubin(source, options=nvrtc.WITHOUT_IMAGES)
    (start,) = struct.unpack_from("<Q", cubin, 40)
    size, count, names = struct.unpack_from("<HHH", cubin, 58)
    sections = [struct.unpack_from("<IIQQQQ", cubin, start + i * size) for i in range(count)]
    name = sections[names][4]
    for section in sections:
        at = name + section[0]
        if cubin[at : cubin.index(b"\0", at)] != b".nv.info":
            continue
        at, end = section[4], section[4] + section[5]
        while at < end:
            form, attribute, length = struct.unpack_from("<BBH", cubin, at)
            if (form, attribute) == (4, 0x11):  # a pair of a symbol and its frame's bytes
                return struct.unpack_from("<I", cubin, at + 8)[0]
            at += 4 + (length if form == 4 else 0)
    raise AssertionError("the cubin does not tell its kernel's frame")


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    folder = printed(tmp_path_factory.mktemp("rows"), "Rows.*", VD_FFT_ROWS=ROWS)
    return {path.stem: path.read_text() for path in sorted(folder.glob("*.cu"))}


def test_rows_spill_nothing(sources):
    assert {name.partition("_")[0] for name in sources} == set(ROWS.split())
    assert {name: spilled(source) for name, source in sources.items()} == dict.fromkeys(sources, 0)


def test_what_spills_is_seen(sources):
    less = re.sub(r"__launch_bounds__\([^)]*\)", "__launch_bounds__(1024, 2)", sources["l8192_1"])
    assert less != sources["l8192_1"] and spilled(less) > 0


def test_tiles_that_are_read_ahead_spill_nothing(tmp_path):
    rows = "c1024 c2048 c4096 k1024"
    folder = printed(tmp_path, "Rows.*", VD_FFT_ROWS=rows, VKDISPATCH_FFT_TUNE="ahead=1")
    ahead = {path.stem: path.read_text() for path in sorted(folder.glob("*.cu"))}
    assert {name.partition("_")[0] for name in ahead} == set(rows.split())
    for source in ahead.values():
        assert "cp.async.ca.shared.global" in nvrtc.compile_ptx(source, options=nvrtc.WITHOUT_IMAGES)[0]
    assert {name: spilled(source) for name, source in ahead.items()} == dict.fromkeys(ahead, 0)


# Ways in which a cluster's workgroups share planes of 256 by 256 and read runs of 256 bytes: 16 and 32 values of an
# invocation. The second is an H200's record.
@pytest.mark.parametrize(
    ("words", "invocations"),
    [
        ("cluster=8,crossing=1", 512),
        ("cluster=8,radices=8x32x32x8,line_threads=256,crossing=1", 256),
    ],
)
def test_planes_of_a_cluster_spill_nothing(tmp_path, words, invocations):
    tuned = f"strategy=plane,{words}"
    folder = printed(tmp_path, "Rows.*", VD_FFT_ROWS="p256 q256", VKDISPATCH_FFT_TUNE=tuned)
    kernels = {path.stem: path.read_text() for path in folder.glob("*.cu")}
    assert len(kernels) == 2
    assert all(f"__launch_bounds__({invocations}" in source for source in kernels.values())
    assert {name: spilled(source) for name, source in kernels.items()} == dict.fromkeys(kernels, 0)
