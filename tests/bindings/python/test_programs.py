"""Programs for vkdispatch 0.1 run as they are, on every backend."""

import pytest
from vkdispatch.codegen.abbreviations import c32

from . import programs
from .transformed import needs


@pytest.mark.parametrize("name", programs.PROGRAMS)
def test_program(device, name):
    if name == "half_storage":
        needs(c32)
    found = list(programs.distances(name))
    assert found
    for number, distance in enumerate(found):
        assert isinstance(distance, float), f"result {number}: {distance}"
        assert distance < 2e-5, f"result {number}"
