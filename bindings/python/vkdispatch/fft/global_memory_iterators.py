"""What a map asks for and does at an element: `read_op()` and `write_op()`."""

from __future__ import annotations

import dataclasses
import threading
from typing import Any

from .. import _native
from ..codegen.variables.variables import ShaderVariable
from .memory_iterators import MemoryOp


class _Current(threading.local):
    read: GlobalReadOp | None = None
    write: GlobalWriteOp | None = None
    kernel: int | None = None


_current = _Current()


def _value_of(variable: Any, what: str) -> int:
    if variable is None:
        return 0
    if not isinstance(variable, ShaderVariable):
        raise ValueError(f"{what} must be a variable of the kernel being traced (got {type(variable).__name__})!")
    return variable._value


def _address_of(io_index: Any, builder: Any) -> int:
    if io_index is None:
        return 0
    from ..codegen.variables.variables import index_value

    return index_value(builder, io_index, builder.location())


@dataclasses.dataclass
class GlobalReadOp(MemoryOp):
    """An element that is read: give `register` its value. In a kernel map the register holds the spectrum."""

    register: Any
    io_index: Any
    r2c: bool
    inverse: bool
    signal_range: tuple[int | None, int | None]
    format_transposed: bool = False
    _gen: Any = None

    @classmethod
    def from_memory_op(cls, op: MemoryOp, **fields: Any) -> GlobalReadOp:
        """One of these from a plain element and what it lacks."""
        return cls(**{field.name: getattr(op, field.name) for field in dataclasses.fields(MemoryOp)}, **fields)

    @property
    def io_index_2(self) -> Any:
        """As io_index: what is mirrored is so already."""
        return self.io_index

    @property
    def r2c_inverse_offset(self) -> int:
        """Bins of a half spectrum behind which the other half is mirrored."""
        return self.fft_size // 2 + 1

    @property
    def signal_range_end(self) -> int:
        """The first position past the range that is read."""
        end = self.signal_range[1]
        return self.fft_size if end is None else end

    def check_in_signal_range(self) -> Any:
        """The condition that the position is one that is read; None where all are."""
        low, high = self.signal_range
        condition = None
        if low:
            condition = self.fft_index >= low
        if high is not None and high < self.fft_size:
            below = self.fft_index < high
            condition = below if condition is None else condition & below
        return condition

    def read_from_buffer(self, buffer: Any, register: Any = None, io_index: Any = None) -> None:
        """Load from a buffer as the transform would: converted, mirrored, zero outside of the signal range."""
        index = _address_of(io_index, self.register._builder)
        into = _value_of(register, "register")
        _native.raw.vd_fft_gen_read(self._gen, _value_of(buffer, "buffer"), index, into)


@dataclasses.dataclass
class GlobalWriteOp(MemoryOp):
    """An element that is written: put `register` somewhere."""

    register: Any
    io_index: Any
    r2c: bool
    inverse: bool
    _gen: Any = None

    @classmethod
    def from_memory_op(cls, op: MemoryOp, **fields: Any) -> GlobalWriteOp:
        """One of these from a plain element and what it lacks."""
        return cls(**{field.name: getattr(op, field.name) for field in dataclasses.fields(MemoryOp)}, **fields)

    def write_to_buffer(self, buffer: Any, register: Any = None, io_index: Any = None) -> None:
        """Store into a buffer as the transform would: converted, of a real transform what belongs there."""
        index = _address_of(io_index, self.register._builder)
        value = 0
        if register is not None:
            from ..codegen.variables.arithmetic import number_value

            _value_of(register, "register")
            value = number_value(register, register._builder.location())
        _native.raw.vd_fft_gen_write(self._gen, _value_of(buffer, "buffer"), index, value)


def read_op() -> GlobalReadOp:
    """The element that a map is reading; ValueError outside of one."""
    if _current.read is None:
        raise ValueError("No global read operation is set for the current thread!")
    return _current.read


def write_op() -> GlobalWriteOp:
    """The element that a map is writing; ValueError outside of one."""
    if _current.write is None:
        raise ValueError("No global write operation is set for the current thread!")
    return _current.write


def mapped_kernel_index() -> int | None:
    """The number of the kernel that a convolution's map is traced for; None outside of one."""
    return _current.kernel
