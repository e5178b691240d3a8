"""The objects that represent values while a kernel is traced."""

from .bound_variables import BoundVariable as BoundVariable
from .bound_variables import BufferVariable as BufferVariable
from .images import ImageVariable as ImageVariable
from .variables import ScaledAndOfftsetIntVariable as ScaledAndOfftsetIntVariable
from .variables import ShaderVariable as ShaderVariable
