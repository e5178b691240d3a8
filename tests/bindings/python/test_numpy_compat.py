"""The array stand-in, and packing with and without NumPy."""

import numpy as np
import pytest
from vkdispatch.compat import numpy_compat as npc


def test_compat_array_indexes_iterates_and_reshapes():
    a = npc.CompatArray(npc.pack_values(range(6), "int32"), "int32", (2, 3))
    assert a.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert a[1].tolist() == [3, 4, 5] and a[1, 2] == 5 and a[-1][0] == 3
    assert [row.tolist() for row in a] == a.tolist()
    assert a.reshape(3, 2).tolist() == [[0, 1], [2, 3], [4, 5]]
    assert (a.size, a.nbytes, len(a), a.ndim) == (6, 24, 2, 2)
    with pytest.raises(ValueError):
        a.reshape((4, 2))
    with pytest.raises(IndexError):
        a[2]


def test_compat_array_refuses_a_shape_that_does_not_fit():
    with pytest.raises(ValueError):
        npc.CompatArray(b"1234", "int32", (2,))


def test_pack_and_unpack_are_inverse():
    assert npc.unpack_values(npc.pack_values([1 + 2j, 3], "complex64"), "complex64") == [1 + 2j, 3]
    assert npc.unpack_values(npc.pack_values([0.5, -2], "float16"), "float16") == [0.5, -2]
    with pytest.raises(ValueError):
        npc.unpack_values(b"123", "int16")


def test_from_buffer_owns_writable_memory():
    a = npc.from_buffer(b"\0" * 8, "float32", (2,))
    a[0] = 1
    assert a.dtype == np.float32
    halves = np.array([1, 2, 3, 4], np.float16)
    assert npc.from_buffer(halves.tobytes(), "complex32", (2,)).tolist() == [1 + 2j, 3 + 4j]


def test_without_numpy(monkeypatch):
    monkeypatch.setattr(npc, "HAS_NUMPY", False)
    assert npc.numpy_module() is None
    with pytest.raises(RuntimeError, match="plotting"):
        npc.require_numpy("plotting")
    a = npc.from_buffer(b"\0" * 8, "float32", (2,))
    assert isinstance(a, npc.CompatArray) and a.tolist() == [0, 0]
    assert not npc.is_array_like(np.zeros(2)) and npc.is_array_like(a)


def test_predicates():
    assert npc.is_integer_scalar(True) and npc.is_integer_scalar(np.int8(1)) and not npc.is_integer_scalar(1.0)
    assert npc.is_bytes_like(memoryview(b"")) and not npc.is_bytes_like([1])
    with pytest.raises(TypeError):
        npc.ensure_bytes("text")
    with pytest.raises(TypeError):
        npc.array_shape([1, 2])
    assert npc.item_shape([[1, 2], [3, 4]]) == (2, 2) and npc.item_shape([[1], [1, 2]]) is None
    assert npc.flatten([[1, 2], np.array([3])]) == [1, 2, 3]
