"""The enumerations behave as those of pybind11 without arithmetic."""

import logging
import operator

import pytest
from vkdispatch import kp


def test_values():
    assert [m.value for m in kp.MemoryTypes] == [0, 1, 2, 3]
    assert kp.TensorTypes is kp.MemoryTypes and kp.TensorTypes.staging is kp.MemoryTypes.host
    names = ["bool", "int", "uint", "float", "double", "custom", "short", "ushort", "char", "uchar"]
    assert [m.name for m in kp.DataTypes][:10] == names and [int(m) for m in kp.DataTypes] == list(range(15))


def test_members():
    member = kp.MemoryTypes.device
    assert (str(member), repr(member), member.name, member.value) == (
        "MemoryTypes.device",
        "<MemoryTypes.device: 0>",
        "device",
        0,
    )
    assert int(member) == operator.index(member) == 0 and member != 0 and kp.MemoryTypes(0) is member
    assert "device" in kp.MemoryTypes.__members__ and {member: 1}[kp.MemoryTypes.device] == 1
    with pytest.raises(ValueError):
        kp.MemoryTypes(9)


def test_exported_members():
    assert kp.float is kp.DataTypes.float and kp.device is kp.MemoryTypes.device and kp.bool is kp.DataTypes.bool
    assert not {"float", "int", "bool"} & set(kp.__all__)
    for enum in (kp.DataTypes, kp.MemoryTypes):
        assert all(getattr(kp, name) is member for name, member in enum.__members__.items())


def test_module():
    assert isinstance(kp.__version__, str) and kp.__kompute_api__ == "0.9"
    assert kp.OpTensorCopy is kp.OpCopy and kp.OpTensorSyncDevice is kp.OpSyncDevice
    assert issubclass(kp.OpMult, kp.OpBase) and kp.OpMult.__mro__[1] is kp.OpBase
    assert issubclass(kp.Error, RuntimeError) and issubclass(kp.DeviceLost, kp.Error)
    assert kp.backend() in ("vulkan", "cuda", "opencl", "host")
    assert logging.getLogger("kp").name == "kp"
