"""Algorithms ask for traits of a device (src/core/traits.h), never for its backend or vendor."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
IDENTITY = re.compile(
    r"VD_BACKEND_"
    r"|\b(?:vendor_id|device_id|driver_version)\b"
    r"|\bkVendor\w"
    r"|(?:info|device)\w*(?:\(\))?(?:\.|->)backend\b"  # info.backend, context.device(0)->backend
    r"|\bbackend\(\) *[!=]="
)
FOLDERS = ("fft", "primitives", "codegen", "ir", "vkfft", "runtime")
#: Files that choose a backend, or keep which one was chosen, or find the measurements of a device.
CHOOSERS = {
    "fft/record.h",
    "fft/record_file.cpp",
    "fft/record_folder.cpp",
    "runtime/context.h",
    "runtime/open.cpp",
    "runtime/open.h",
}
#: Lines of structs that others have named, keys of what is kept for one device and driver, and files of measurements that say
#: for which device they are.
ALLOWED = {
    "runtime/dlpack.cpp": ["int32_t device_id;"],
    "fft/record.cpp": [
        "return (backend == VD_BACKEND_AUTO || backend == info.backend) && (any || device == info.name);"
    ],
    "fft/kept_choices.cpp": [
        "hasher.add(what_).add(kVersion).add(info_.backend).add(std::string_view(info_.name)).add(info_.driver_version);"
    ],
}


def identities_in(text: str) -> list[str]:
    """The lines that ask for an identity."""
    return [line.strip() for line in text.splitlines() if IDENTITY.search(line)]


@pytest.mark.parametrize(
    "line",
    [
        "if (info.backend == VD_BACKEND_CUDA) {",
        "switch (info.backend) {",
        "switch (context.device(0).info().backend) {",
        "return info.vendor_id == 0x10de;",
        "if (gpu->device->backend == wanted)",
        "if (context.backend() != wanted) return;",
        "constexpr bool kTold = vendor != kVendorNvidia;",
    ],
)
def test_an_identity_is_noticed(line):
    assert identities_in(line)


@pytest.mark.parametrize(
    "line",
    [
        "limits.traits = traits_of(info);",
        "if (queue_.backend.would_block()) return false;",
        "fail(VD_ERR_UNSUPPORTED, backends::backend_name(context.backend()));",
        "return info.max_workgroup_size[0];",
    ],
)
def test_other_lines_are_accepted(line):
    assert not identities_in(line)


def test_no_algorithm_asks_for_an_identity():
    files = [path for folder in FOLDERS for path in sorted((ROOT / "src" / folder).rglob("*")) if path.is_file()]
    assert len(files) > 150
    for path in files:
        name = path.relative_to(ROOT / "src").as_posix()
        if name not in CHOOSERS:
            assert identities_in(path.read_text()) == ALLOWED.get(name, []), name
