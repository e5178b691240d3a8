"""The header declares its section 'Unstable' only for programs that define VD_UNSTABLE."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """#include <vkdispatch.h>
int main(void) {{
    vd_builder *builder = NULL;
    vd_builder_desc kernel = VD_BUILDER_DESC_INIT;
    if (vd_builder_create(&kernel, &builder) != VD_OK) return 1;
    {uses}
    vd_builder_release(builder);
    return 0;
}}
"""
BLOCK = """vd_fft_block_desc desc = VD_FFT_BLOCK_DESC_INIT;
    vd_fft_block *block = NULL;
    if (vd_fft_block_create(builder, &desc, &block) != VD_OK || desc.unstable_version != VD_UNSTABLE_VERSION) return 1;
    vd_fft_block_release(block);"""
LANGUAGES = [("cc", "c", "c11"), ("c++", "c++", "c++20")]


def compile_program(tool: tuple[str, str, str], uses: str, *flags: str) -> subprocess.CompletedProcess:
    compiler, language, standard = tool
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler}")
    command = [compiler, f"-std={standard}", "-x", language, "-Wall", "-Wextra", "-Werror", "-fsyntax-only", *flags]
    return subprocess.run(
        [*command, f"-I{ROOT / 'include'}", "-"],
        input=PROGRAM.format(uses=uses),
        text=True,
        capture_output=True,
        check=False,
    )


@pytest.mark.parametrize("tool", LANGUAGES, ids=lambda tool: tool[2])
def test_an_unstable_entry_is_declared_where_it_is_asked_for(tool):
    refused = compile_program(tool, BLOCK)
    assert refused.returncode != 0
    for name in ("vd_fft_block_desc", "vd_fft_block_create", "VD_UNSTABLE_VERSION"):
        assert name in refused.stderr
    done = compile_program(tool, BLOCK, "-DVD_UNSTABLE")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("flags", [(), ("-DVD_UNSTABLE",)], ids=["stable", "unstable"])
@pytest.mark.parametrize("tool", LANGUAGES, ids=lambda tool: tool[2])
def test_stable_entries_are_always_declared(tool, flags):
    done = compile_program(tool, "", *flags)
    assert done.returncode == 0, done.stderr
