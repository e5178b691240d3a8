"""The comparison of ABI descriptions sees what breaks a program, and not what does not."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

HEADER = """\
#pragma once
typedef struct vd_thing vd_thing;
typedef enum vd_kind { VD_KIND_A = 0, VD_KIND_B = 1 } vd_kind;
typedef struct vd_desc { unsigned struct_size; vd_kind kind; unsigned long long size; } vd_desc;
#ifdef __cplusplus
extern "C" {
#endif
int vd_create(const vd_desc *desc, vd_thing **out_thing);
void vd_release(vd_thing *thing);
#ifdef __cplusplus
}
#endif
"""
SOURCE = """\
#include "vkdispatch.h"
struct vd_thing { int private_member; };
int vd_create(const vd_desc* desc, vd_thing** out_thing) { *out_thing = new vd_thing{int(desc->size)}; return 0; }
void vd_release(vd_thing* thing) { delete thing; }
"""

pytestmark = pytest.mark.skipif(not shutil.which("abidw"), reason="no libabigail")


def compare(folder, header, source, *options):
    headers = folder / "include"
    headers.mkdir(exist_ok=True)
    (headers / "vkdispatch.h").write_text(header)
    (folder / "l.cpp").write_text(source)
    library = folder / "l.so"
    built = ["g++", "-g", "-shared", "-fPIC", "-I", headers, folder / "l.cpp", "-o", library]
    subprocess.run([str(part) for part in built], check=True)
    command = [ROOT / "tests/abi/check_abi.sh", library, headers, folder / "baseline.abi", *options]
    return subprocess.run([str(part) for part in command], check=False, capture_output=True, text=True)


CHANGES = {
    "removed symbol": (
        HEADER.replace("void vd_release(vd_thing *thing);", ""),
        SOURCE.replace("void vd_release(vd_thing* thing) { delete thing; }", ""),
    ),
    "grown struct": (HEADER.replace("size; }", "size; unsigned long long more; }"), SOURCE),
    "reordered fields": (
        HEADER.replace("unsigned struct_size; vd_kind kind;", "vd_kind kind; unsigned struct_size;"),
        SOURCE,
    ),
    "changed enum value": (HEADER.replace("VD_KIND_B = 1", "VD_KIND_B = 2"), SOURCE),
}


@pytest.mark.parametrize("header, source", CHANGES.values(), ids=CHANGES.keys())
def test_a_change_of_the_abi_fails(tmp_path, header, source):
    assert compare(tmp_path, HEADER, SOURCE, "--update").returncode == 0
    assert compare(tmp_path, HEADER, SOURCE).returncode == 0
    changed = compare(tmp_path, header, source)
    assert changed.returncode != 0, changed.stdout


def test_a_changed_private_member_passes(tmp_path):
    compare(tmp_path, HEADER, SOURCE, "--update")
    same = compare(tmp_path, HEADER, SOURCE.replace("int private_member;", "int private_member; double other;"))
    assert same.returncode == 0, same.stdout
